"""Without the extra: one sentence that says how to get it, on the terminal and on the web."""

import sys
from pathlib import Path

import pytest

import serve
from tests.support.programs import run_python
from tests.support.web.real_server import serving

# A package that is not there, as Python sees it.
WITHOUT = "import sys; sys.modules['mcp'] = None; import serve; sys.exit(serve.main(sys.argv[1:]))"


def test_the_option_says_which_extra_it_needs() -> None:
    done = run_python("-c", WITHOUT, "--mcp", code=2)
    sentence = "serve.py: --mcp needs the extra mcp: uv run --extra mcp serve.py --mcp\n"
    assert (done.stdout, done.stderr) == ("", sentence)


def test_the_running_server_says_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with serving(tmp_path / "logs") as served:
        answer = served.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert answer.status == 404
        assert "uv run --extra mcp serve.py" in answer.detail
        assert served.get("/api/health", bare=True).status == 200


def test_a_server_imports_nothing_of_it_before_an_agent_asks() -> None:
    code = (
        "import sys, engine.server.app; "
        "print('engine.server.mcp.door' in sys.modules, 'mcp' in sys.modules)"
    )
    assert run_python("-c", code).stdout == "True False\n"


@pytest.mark.parametrize(
    ("words", "flag"),
    [(["--port", "1"], "port"), (["--host", "::1"], "host"), (["--no-open"], "no-open")],
)
def test_options_of_ports_are_refused(
    words: list[str], flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve.main(["--mcp", *words]) == 2
    err = capsys.readouterr().err
    assert err == f"serve.py: expected --mcp without --{flag}: it listens on no port\n"


def test_the_help_has_a_clients_config(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        serve.main(["--help"])
    told = capsys.readouterr().out
    assert '"command": "uv"' in told
    assert '"run", "--extra", "mcp", "serve.py", "--mcp"]' in told
