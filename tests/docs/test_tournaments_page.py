"""docs/tournaments.md is true: its ten minutes run as they stand, and come to what it shows."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from engine.cli.main import run_command
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "tournaments.md").read_text(encoding="utf-8")
LEADERBOARD = (ROOT / "docs" / "leaderboard.md").read_text(encoding="utf-8")
COMMAND = re.compile(r"^uv run tournament\.py (.*?)(?:  .*)?$", re.MULTILINE)
NAME = "dilemma-cup"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def block_of(kind: str, start: str) -> str:
    """Return the page's block of a kind that has these words first."""
    (block,) = [text for found, text in BLOCKS if found == kind and text.startswith(start)]
    return str(block)


def test_the_yaml_is_the_cup() -> None:
    text = (ROOT / "configs" / "cups" / "dilemma.yaml").read_text("utf-8")
    assert yaml.safe_load(block_of("yaml", "name: dilemma")) == yaml.safe_load(text)


@pytest.mark.slow
def test_ten_minutes_come_to_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    printed = []
    for line in COMMAND.findall(block_of("bash", "uv run tournament.py plan configs")):
        assert run_command("tournament.py", shlex.split(line)) == 0, line
        printed.append(capsys.readouterr().out)
    assert len(printed) == 7
    check_other_commands(tmp_path, capsys)
    _plan, played, rated, _against, _exported, again, _listed = printed
    for line in block_of("", "By points").splitlines():
        if line != "...":
            assert line in joined(played), line
    assert "NaN" not in played
    tables = [played.split("Written to")[0], rated.split("Written to")[0]]
    assert tables[0] == tables[1] == again.split("Written to")[0]
    card = (tmp_path / "logs" / NAME / "card.md").read_text("utf-8")
    settings = re.findall(r"settings ([0-9a-f]{16})", card)
    assert settings
    assert {*settings} == {*re.findall(r"settings ([0-9a-f]{16})", PAGE)}
    rows = re.findall(r"^\| \d[-\d]* \| .*\|$", LEADERBOARD, re.MULTILINE)
    for row in played_rows(played):
        assert row in rows


def check_other_commands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the commands of the sections on other choices, one scale and a plan."""
    (folder / "second.yaml").write_text(block_of("yaml", "name: second"), encoding="utf-8")
    starts = ("uv run tournament.py rate dilemma-cup --target", "uv run tournament.py plan second")
    printed = []
    for line in [line for start in starts for line in COMMAND.findall(block_of("bash", start))]:
        assert run_command("tournament.py", shlex.split(line)) == 0, line
        printed.append(" ".join(capsys.readouterr().out.split()))
    choices, planned, played, linked, fixed = printed
    assert "Ranks by places, and by other choices" in choices
    assert "plan.json, SHA-256" in planned
    for text in (played, linked):
        assert "in dilemma-cup set the scale." in text
        assert "The tournament followed the plan." in text
        assert "kept their distances (chi-square" in text
    assert "The given rating of grudger sets the scale." in fixed


def joined(text: str) -> str:
    """Return text whose wrapped sentences are on one line, and whose rows have no cost."""
    return re.sub(r" +(?:cost/game|\$0)$", "", text, flags=re.MULTILINE) + " ".join(text.split())


def played_rows(printed: str) -> list[str]:
    """Return the rows of the printed tables of ratings as the leaderboard has them."""
    found = []
    for line in printed.splitlines():
        cells = re.split(r"  +", line.strip())
        if re.fullmatch(r"\d[-\d]*", cells[0]) and len(cells) >= 8:
            found.append(f"| {' | '.join(cells[:7])} |")
    return found
