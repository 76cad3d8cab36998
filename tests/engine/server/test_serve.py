"""`serve.py` as a person starts it: its options, its link, and how it ends."""

import re
import signal
import socket
import sys
from pathlib import Path
from urllib.parse import parse_qs

import httpx2
import pytest

import serve
from engine.cli.serve import has_screen, link_of, own_token, serve_parser, server_settings
from engine.server.settings import ServerSettings
from tests.support.paths import ROOT
from tests.support.programs import run_python
from tests.support.terminal import Capture
from tests.support.web.real_server import TOKEN
from tests.support.web.started import started


def get(link: str, path: str, token: str = "") -> int:
    address, _, _ = link.partition("/#/")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx2.get(f"{address}{path}", headers=headers).status_code


def run(*words: str, capture: Capture) -> tuple[int, str]:
    code = serve.main(words)
    return code, capture.readouterr().err


def test_the_link_has_the_token_in_its_fragment_and_ctrl_c_ends_well(tmp_path: Path) -> None:
    with started(tmp_path) as (process, link):
        token = re.fullmatch(r"http://127\.0\.0\.1:\d+/#/\?token=([\w-]{43})", link)
        assert token is not None
        assert get(link, "/api/health") == 200
        assert get(link, "/") == 200
        assert get(link, "/api/openapi.json") == 401
        assert get(link, "/api/openapi.json", token[1]) == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


def test_sigterm_ends_as_well_as_ctrl_c(tmp_path: Path) -> None:
    with started(tmp_path) as (process, _):
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")


def test_the_token_may_come_from_the_environment_and_is_new_else(tmp_path: Path) -> None:
    with started(tmp_path, ARENA_TOKEN=TOKEN) as (_, link):
        assert link.endswith(f"token={TOKEN}")
        assert get(link, "/api/openapi.json", TOKEN) == 200
    options = serve_parser().read([])
    assert server_settings(options).token != server_settings(options).token


def test_a_token_that_can_be_guessed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for token in ("short", "with a space in the middle", "\u00e4" * 20):
        monkeypatch.setenv("ARENA_TOKEN", token)
        with pytest.raises(ValueError, match="expected ARENA_TOKEN to be at least 16") as refused:
            own_token()
        assert token not in str(refused.value)
    monkeypatch.setenv("ARENA_TOKEN", "")
    assert own_token() == ""


def test_no_repr_tells_the_token() -> None:
    assert TOKEN not in repr(ServerSettings(token=TOKEN))


def test_a_port_that_is_taken_is_said(capsys: Capture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, err = run("--port", port, "--no-open", capture=capsys)
    assert code == 1
    assert err == f"serve.py: port {port} is taken: choose another with --port\n"


def test_an_address_of_another_machine_is_said(capsys: Capture) -> None:
    words = ("--host", "203.0.113.7", "--allow-host", "a.home", "--no-open")
    code, err = run(*words, capture=capsys)
    assert code == 1
    assert "cannot listen on 203.0.113.7" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--host", "0.0.0.0"], "expected --allow-host NAME with --host 0.0.0.0"),
        (["--allow-host", "ftp://a.home"], "expected --allow-host to be a name"),
        (["--allow-host", "https://a.home/"], "or https://NAME: 'https://a.home/'"),
        (["--port", "70000"], "expected --port to be from 0 to 65535: got 70000"),
        (["--port", "x"], "argument --port: invalid int value: 'x'"),
        (["--max-cost", "0"], "expected --max-cost to be above 0: got 0"),
        (["--max-cost", "nan"], "expected --max-cost to be above 0"),
        (["--max-games", "0"], "expected --max-games to be at least 1: got 0"),
        (["--max-watchers", "-3"], "expected --max-watchers to be at least 1: got -3"),
        (["--logs-dir", "serve.py"], "a folder that can be written: serve.py is not (File exists"),
        (["--logs-dir", "/proc/logs"], "a folder that can be written: /proc/logs is not"),
        (["--logs-dir", "serve.py", "--read-only"], "a folder that can be read: serve.py is not"),
        (["--allow-model", "local:mine.gguf"], "there is no file 'local:mine.gguf'"),
        (["--allow-host", "a..home"], "expected --allow-host to be a name such as arena.home"),
        (["--allow-host", ""], "expected --allow-host to be a name such as arena.home"),
        (["--allow-host", "a.home:70000"], "expected --allow-host to be a name such as arena.home"),
        (["--allow-host", "a" * 60 + "!"], "expected --allow-host to be a name such as arena.home"),
        (["--readonly"], "did you mean '--read-only'"),
        (["games"], "expected an option: got 'games'"),
    ],
)
def test_a_wrong_option_is_said_in_a_sentence(
    words: list[str], sentence: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code, err = run(*words, capture=capsys)
    assert (code, err.count("\n")) == (2, 1)
    assert sentence in err


def test_options_become_settings(tmp_path: Path) -> None:
    weights = tmp_path / "m.gguf"
    weights.touch()
    words = [
        "--host", "0.0.0.0", "--allow-host", "a.home", "--allow-host", "b.home:80", "--port", "9",
        "--logs-dir", str(tmp_path), "--max-cost", "2.5", "--max-games", "3", "--max-watchers", "4",
        "--read-only", "--allow-model", str(weights),
    ]  # fmt: skip
    settings = server_settings(serve_parser().read(words))
    expected = ServerSettings(
        logs_dir=tmp_path,
        host="0.0.0.0",
        port=9,
        allow_hosts=("a.home", "b.home:80"),
        token=settings.token,
        max_cost=2.5,
        max_games=3,
        max_watchers=4,
        read_only=True,
        allow_models=(str(weights),),
    )
    assert settings == expected


@pytest.mark.parametrize(
    ("host", "names", "link"),
    [
        ("127.0.0.1", (), "http://127.0.0.1:9/#/?token=t"),
        ("::1", (), "http://[::1]:9/#/?token=t"),
        ("localhost", ("a.home",), "http://localhost:9/#/?token=t"),
        ("0.0.0.0", ("a.home", "b.home"), "http://a.home:9/#/?token=t"),
        ("0.0.0.0", ("a.home:80",), "http://a.home:80/#/?token=t"),
        ("0.0.0.0", ("https://a.home",), "https://a.home/#/?token=t"),
    ],
)
def test_the_link_is_one_that_the_server_answers_to(
    host: str, names: tuple[str, ...], link: str
) -> None:
    assert link_of(ServerSettings(host=host, port=9, allow_hosts=names, token="t")) == link


def test_help_teaches_by_example_and_imports_no_server() -> None:
    code = (
        "import sys, serve\n"
        "try: serve.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('fastapi', 'uvicorn', 'pydantic', 'asyncio') if m in sys.modules])"
    )
    done = run_python("-c", code)
    *_, imported = done.stdout.splitlines()
    assert imported == "[]"
    assert "uv run serve.py --port 0 --no-open" in done.stdout
    for option in ("--allow-host", "--max-cost", "--max-games", "--max-watchers", "--allow-model"):
        assert option in done.stdout


def test_no_browser_is_opened_where_none_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_screen()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_screen()


def test_a_token_of_ones_own_survives_the_link() -> None:
    """As `openssl rand -base64 32` makes them: a + would be read as a space."""
    token = "a+b/c=?&#%20" * 2
    _, _, query = link_of(ServerSettings(port=9, token=token)).partition("#/?")
    assert parse_qs(query) == {"token": [token]}
