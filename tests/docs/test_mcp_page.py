"""docs/mcp.md is true: its program plays a whole game, its table has the tools, its config runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.cli.serve import check_options, serve_parser
from tests.support.paths import ROOT

pytest.importorskip("mcp", reason="comes with the extra mcp")

from engine.server.mcp.tools import Tools

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
(CONFIG,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
TOOLS = re.findall(r"^\| `(\w+)\((.*?)\)`", PAGE, re.MULTILINE)


def test_its_program_plays_a_whole_game(tmp_path: Path) -> None:
    # Its games lie where the program runs.
    for path in ROOT.iterdir():
        if path.name != "logs" and not path.name.startswith("."):
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / "agent.py").write_text(CODE, encoding="utf-8")
    where: dict[str, Any] = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    words = [sys.executable, "agent.py"]
    done = subprocess.run(words, **where, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("The iterated prisoner's dilemma")
    assert "round" in last
    assert len([*(tmp_path / "logs").glob("*.json")]) == 1


def test_its_table_has_the_tools_and_what_they_take() -> None:
    told = dict(TOOLS)
    assert [*told] == ["list_games", "begin", "take_seat", "question", "answer", "look"]
    for name, taken in told.items():
        code = getattr(Tools, name).__code__
        count = code.co_argcount + code.co_kwonlyargcount
        assert {*taken.split(", ")} <= {*code.co_varnames[:count]}


def test_its_config_is_a_command_of_the_arena() -> None:
    arena = json.loads(CONFIG)["mcpServers"]["arena"]
    assert arena["command"] == "uv"
    begin = arena["args"].index("serve.py")
    assert arena["args"][:begin] == ["--directory", "PATH", "run", "--extra", "mcp"]
    options = serve_parser().read(arena["args"][begin + 1 :])
    check_options(options)
    assert options.mcp
