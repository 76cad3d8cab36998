"""Tokens, keys and cookies: nobody's are nobody's, and a restart changes none of the keys."""

import stat
from pathlib import Path
from shutil import rmtree

import pytest

from engine.server.keys import MOST_GRANTS, Caller, Grant, Keys, read_secret, with_rights_of
from engine.server.settings import ServerSettings
from tests.support.web.attacks import false_credentials
from tests.support.web.real_server import Served, serving

GAME = "gameplay_20260101_120000_ab12"
FAR = 2**40


def keys_of(served: Served) -> Keys:
    return Keys(served.settings)


def keys_in(folder: Path, token: str = "token") -> Keys:
    return Keys(ServerSettings(logs_dir=folder, token=token))


def true_keys(served: Served) -> dict[str, str]:
    keys = keys_of(served)
    return {
        "Ada": keys.seat_key(GAME, "Ada"),
        "Ben": keys.seat_key(GAME, "Ben"),
        "elsewhere": keys.seat_key("other", "Ada"),
        "public": keys.watch_key(GAME, "public"),
        "all": keys.watch_key(GAME, "all"),
    }


def test_no_false_token_or_key_passes(served: Served) -> None:
    false = false_credentials(served, true_keys(served))
    assert len(false) >= 200
    reader = keys_of(served)
    for text in false:
        assert reader.bearer(text.strip()) is None, text
    for text in [one for one in false if one.isascii() and one.isprintable()][::4]:
        headers = {"Authorization": f"Bearer {text}"}
        assert served.get("/api/offer", headers=headers, bare=True).status == 401, text
        cookie = {"Cookie": f"arena_{served.settings.port}={text}"}
        assert served.get("/api/offer", headers=cookie, bare=True).status == 401, text


@pytest.mark.parametrize("scheme", ["", "Basic ", "Bearer, ", "Token "])
def test_the_token_needs_its_scheme(served: Served, scheme: str) -> None:
    headers = {"Authorization": f"{scheme}{served.settings.token}"}
    answer = served.get("/api/openapi.json", headers=headers, bare=True)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_keys_say_what_they_open(served: Served) -> None:
    reader = keys_of(served)
    opened = {name: reader.bearer(key) for name, key in true_keys(served).items()}
    assert opened["Ada"] == Caller(grants=(Grant(GAME, seat="Ada"),))
    assert opened["all"] == Caller(grants=(Grant(GAME, watch="all"),))
    assert reader.bearer(served.settings.token) == Caller(host=True)


def test_keys_survive_a_restart_and_the_hosts_cookie_does_not(tmp_path: Path) -> None:
    before = keys_in(tmp_path, "one")
    after = keys_in(tmp_path, "two")
    key = before.seat_key(GAME, "Ada")
    assert after.bearer(key) == before.bearer(key) != None  # noqa: E711 - both are somebody
    assert after.bearer("one") is None
    assert after.cookie(before.cookie_of(Caller(host=True))) is None
    both = Caller(host=True, grants=(Grant(GAME, seat="Ada", until=FAR),))
    assert after.cookie(before.cookie_of(both)) == Caller(grants=both.grants)


def test_keys_of_another_folder_are_nobodys(tmp_path: Path) -> None:
    one = keys_in(tmp_path / "one")
    other = keys_in(tmp_path / "other")
    assert other.bearer(one.seat_key(GAME, "Ada")) is None
    assert other.cookie(one.cookie_of(Caller(host=True))) is None


def test_a_key_is_no_cookie_and_a_cookie_no_key(tmp_path: Path) -> None:
    keys = keys_in(tmp_path)
    assert keys.cookie(keys.seat_key(GAME, "Ada")) is None
    assert keys.bearer(keys.cookie_of(Caller(host=True))) is None


def test_the_secret_is_read_by_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", lambda *_: None)
        read_secret(tmp_path / "new")
    file = tmp_path / "new" / ".server"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "from the first moment on"
    rmtree(tmp_path / "new")
    secret = read_secret(tmp_path)
    file = tmp_path / ".server"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    assert read_secret(tmp_path) == secret
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [".server"]


@pytest.mark.parametrize("content", ["", "zz" * 32, "ab" * 31, "ab" * 33, "\udcff"])
def test_a_damaged_secret_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / ".server").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match="delete it"):
        read_secret(tmp_path)


def test_a_session_gathers_keys(served: Served) -> None:
    keys = true_keys(served)
    own = {"Origin": served.origin}
    first = {"Authorization": f"Bearer {keys['Ada']}"}
    cookie = served.post("/api/session", headers=own | first).headers["set-cookie"]
    for flag in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert flag in cookie
    assert cookie.startswith(f"arena_{served.settings.port}=")
    again = own | {"Cookie": cookie.partition(";")[0]}
    text = served.post("/api/session", headers=again).headers["set-cookie"]
    held = keys_of(served).cookie(text.partition("=")[2].partition(";")[0])
    assert held == Caller(True, (Grant(GAME, seat="Ada"),))
    assert held.label == "host"


def test_many_cookies_of_one_key_count_as_one() -> None:
    seat = Caller(grants=(Grant(GAME, seat="Ada"),))
    assert with_rights_of(seat, None).label == seat.label
    assert with_rights_of(seat, seat).grants == seat.grants
    assert with_rights_of(seat, Caller(grants=(Grant("other", seat="Ada"),))).label != seat.label


def test_a_secret_that_is_there_is_read_and_nothing_is_written(tmp_path: Path) -> None:
    """A folder that cannot be written keeps its links too."""
    secret = read_secret(tmp_path)
    before = tmp_path.stat().st_mtime_ns
    assert read_secret(tmp_path) == secret
    assert tmp_path.stat().st_mtime_ns == before


def test_a_cookie_has_the_last_keys_and_fits_a_browser(tmp_path: Path) -> None:
    keys = keys_in(tmp_path)
    names = [f"{GAME}_{number}" for number in range(2 * MOST_GRANTS)]
    grants = tuple(Grant(name, seat="A" * 40, until=FAR) for name in names)
    cookie = keys.cookie_of(Caller(grants=grants))
    assert len(cookie) < 4096
    held = keys.cookie(cookie)
    assert held is not None
    assert held.grants == grants[-MOST_GRANTS:]


def test_a_key_opens_for_so_many_days(tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    keys = Keys(ServerSettings(logs_dir=tmp_path, key_days=2), clock=lambda: now[0])
    key = keys.seat_key(GAME, "Ada")
    both = keys.bearer(key)
    assert both is not None
    cookie = keys.cookie_of(both)
    now[0] += 2 * 86_400
    assert keys.bearer(key) == both
    assert keys.cookie(cookie) is not None
    now[0] += 86_400
    assert keys.bearer(key) is None
    assert keys.cookie(cookie) is None
    assert keys.bearer(keys.seat_key(GAME, "Ada")) == both


def test_one_key_is_revoked_and_no_other(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        key = served.key_of(GAME, "Ada")
        cookie = served.cookie_for(key)
        text = key["Authorization"].removeprefix("Bearer ")
        link = f"{served.origin}/#/seat/{GAME}/Ada?key={text}"
        path = "/api/openapi.json"
        assert served.post("/api/revoke", {"key": link}, headers=key, bare=True).status == 403
        assert served.get(path, headers=key, bare=True).status == 200
        assert served.post("/api/revoke", {"key": link}).status == 204
        assert served.post("/api/revoke", {"key": link}).status == 422
        for headers in (key, cookie):
            assert served.get(path, headers=headers, bare=True).status == 401
        for other in (served.key_of(GAME, "Ben"), served.key_of(GAME, watch="all")):
            assert served.get(path, headers=other, bare=True).status == 200
    with serving(tmp_path, token=served.settings.token) as again:
        assert again.get(path, headers=key, bare=True).status == 401
        fresh = again.key_of(GAME, "Ada")
        assert fresh != key
        assert again.get(path, headers=fresh, bare=True).status == 200
