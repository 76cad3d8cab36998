"""What the guard keeps out, against a real server; see tests/support/web/attacks.py."""

import json
from pathlib import Path

import pytest

from engine.server import guard
from engine.server.deadline import Deadline, whole_answer
from engine.server.guard import own_origins
from engine.server.settings import ServerSettings
from tests.support.web import attacks
from tests.support.web.floods import crowd, drip
from tests.support.web.real_server import Served, serving, table_of

# As it is without the patience of `serving`.
POSTS_A_SECOND = guard.POSTS_A_SECOND


def test_no_path_climbs_out(served: Served) -> None:
    assert len([*attacks.climbing_paths()]) >= 400
    assert attacks.traversals(served) == []


def test_no_foreign_origin_passes(served: Served) -> None:
    assert len(set(attacks.foreign_origins(served))) >= 60
    assert attacks.pass_origins(served) == []


def test_no_foreign_host_passes(served: Served) -> None:
    assert len(set(attacks.foreign_hosts(served))) >= 40
    assert attacks.pass_hosts(served) == []


def test_malformed_heads_are_refused_and_the_server_goes_on(served: Served) -> None:
    assert len(attacks.malformed_heads(served)) >= 25
    assert attacks.send_malformed(served) == []


def test_a_refused_socket_is_no_failure(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    asked = attacks.head(served, "/api/games/none/stream", attacks.socket_lines())
    for refused in (asked, asked.replace(served.host.encode(), b"evil.example")):
        assert attacks.status_of(served.raw(refused + b"\r\n")) in {404, 421}
    assert served.get("/api/health").status == 200
    assert not caplog.records


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "same-origin, cross-site"])
@pytest.mark.parametrize("path", ["/api/games/none", "/arena.css", "/api/health"])
def test_a_browser_must_come_from_the_page_itself(served: Served, site: str, path: str) -> None:
    assert served.get(path, headers={"Sec-Fetch-Site": site}).status == 403


def test_a_link_in_a_mail_opens_the_page(served: Served) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert served.get("/", headers=headers, bare=True).status in {200, 404}
    assert served.get("/", headers=headers | {"Sec-Fetch-Mode": "cors"}, bare=True).status == 403
    assert served.get("/api/health", headers=headers, bare=True).status == 403


@pytest.mark.parametrize("names", [[], ["own", "own"], ["own", "evil.example"]])
def test_a_request_names_the_server_once(served: Served, names: list[str]) -> None:
    """An old request may name nobody; h11 itself refuses several names."""
    hosts = [f"Host: {name.replace('own', served.host)}" for name in names]
    sent = "\r\n".join(["GET /api/health HTTP/1.0", *hosts, "", ""])
    assert attacks.status_of(served.raw(sent.encode())) in {400, 421}


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_own_names_pass(served: Served, name: str) -> None:
    host = f"{name}:{served.settings.port}"
    headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
    assert served.get("/api/health", headers=headers).status == 200


def test_the_host_may_name_more_names() -> None:
    names = ("arena.example", "arena.example:80", "localhost", "127.0.0.1:80")
    own = own_origins(ServerSettings(port=80, allow_hosts=("arena.example",)))
    assert own >= {f"http://{name}" for name in names}
    assert not [origin for origin in own if not origin.startswith("http://")]
    assert "http://arena.example" not in own_origins(ServerSettings(port=80))


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("Arena.Home", "http://arena.home:9"),
        ("arena.home:80", "http://arena.home"),
        ("https://Arena.Home:443", "https://arena.home"),
        ("http://[FE80::1]", "http://[fe80::1]:9"),
    ],
)
def test_a_name_may_be_typed_in_any_way_that_means_what_a_browser_sends(
    name: str, sent: str
) -> None:
    assert sent in own_origins(ServerSettings(port=9, allow_hosts=(name,)))


def test_a_name_behind_a_proxy_is_secure_alone(tmp_path: Path) -> None:
    """The scheme counts: http has no right to a name that was given as https."""
    secure = "https://arena.example"
    with serving(tmp_path, allow_hosts=("https://Arena.Example:443",)) as served:
        for origin, status in ((secure, 201), ("http://arena.example", 403)):
            config = table_of("conversation", "human,scripted:greedy")
            headers = {"Host": "arena.example", "Origin": origin}
            answer = served.post("/api/games", {"config": config}, headers=headers)
            assert answer.status == status
            if status == 201:
                (begun,) = answer.json["games"]
                assert begun["seats"]["Ada"].startswith(f"{secure}/#/seat/")
        session = {"Host": "arena.example", "Origin": secure}
        assert "Secure" in served.post("/api/session", headers=session).headers["set-cookie"]


def test_every_answer_carries_the_headers(served: Served) -> None:
    evil = {"Host": "evil.example"}
    answers = [
        served.get("/"),
        served.get("/api/health", bare=True),
        served.get("/api/none"),
        served.get("/api/games", bare=True),
        served.get("/api/health", headers=evil),
        served.post("/api/session", headers={"Origin": "null"}),
    ]
    for answer in answers:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "trusted-types 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cache-control"] in {"no-store", "no-cache"}
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "server" not in answer.headers
    assert b"content-security-policy" in served.raw(b"HELLO\r\n\r\n")


def test_a_page_with_a_cookie_sends_json(served: Served) -> None:
    cookie = served.cookie_for(served.bearer)
    for kind, body in (("text/plain", b"{}"), ("application/x-www-form-urlencoded", b"a=1")):
        headers = cookie | {"Origin": served.origin, "Content-Type": kind}
        assert served.post("/api/session", body, headers=headers, bare=True).status == 415


def test_a_body_is_bounded_by_length_and_by_count(served: Served) -> None:
    json_of = {"Content-Type": "application/json"}
    fits = json.dumps("x" * ((64 << 10) - 2)).encode()
    assert served.post("/api/session", fits, headers=json_of).status == 204
    assert served.post("/api/session", fits + b" ", headers=json_of).status == 413
    assert served.ask("POST", "/api/session", iter([b"x" * 1024] * 65), json_of).status == 413


def test_a_body_that_does_not_come_is_waited_for_no_longer(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert guard.BODY_SECONDS == 30
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)
    lines = "Content-Type: application/json\nContent-Length: 2"
    answer = served.raw(attacks.head(served, "/api/session", lines, method="POST") + b"\r\n{")
    assert attacks.status_of(answer) == 408
    assert b"expected the body within 0.2 seconds" in answer


def test_who_changes_too_much_a_second_waits(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", posts=POSTS_A_SECOND) as served:
        statuses = [served.post("/api/session").status for _ in range(100)]
        assert {204, 429} == set(statuses)
        # Others and those who only read do not wait with them.
        assert served.get("/api/none").status == 404


class Hasty(Deadline):
    head_seconds = 0.3
    most_connections = 20


def test_a_head_that_never_ends_is_closed_and_others_make_room(tmp_path: Path) -> None:
    with serving(tmp_path / "logs", Hasty) as served:
        assert drip(served, 10, patience=10) == 10
        assert crowd(served, 60) <= Hasty.most_connections
        assert served.get("/api/health", bare=True).status == 200


@pytest.mark.parametrize("lack", ["Sec-WebSocket-Key", "Sec-WebSocket-Version", "right"])
def test_a_handshake_that_is_none_is_refused_as_all_else_is(served: Served, lack: str) -> None:
    lines = [line for line in attacks.socket_lines().splitlines() if not line.startswith(lack)]
    token = "nobody" if lack == "right" else served.settings.token
    top = [f"Host: {served.host}", f"Authorization: Bearer {token}", *lines, "", ""]
    sent = "\r\n".join(["GET /api/games/x/stream HTTP/1.1", *top])
    head, _, body = served.raw(sent.encode()).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 4")
    for name in (b"content-security-policy: default-src 'none'", b"nosniff", b"no-store"):
        assert name in head
    assert json.loads(body)["detail"]


def test_an_answer_of_no_app_is_whole() -> None:
    head, _, body = whole_answer(503, "full", (b"retry-after", b"5")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert b"content-length: %d\r\n" % len(body) in head
    assert b"retry-after: 5\r\n" in head
    assert b"connection: close" in head
    assert json.loads(body) == {"detail": "full"}
