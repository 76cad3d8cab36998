"""What the pages say to add: written into a copy of the tree, all of it works together."""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.paths import ROOT, copy_project
from tests.support.web.browser import browser, open_page

__all__ = ["browser"]

PAGES = ("docs/write-a-game.md", "docs/haggle.md", "CONTRIBUTING.md")
FILE = re.compile(r"^`([\w/]+\.(?:py|j2|js))`\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINES = re.compile(
    r"in `([\w/]+\.(?:py|js))`, (above|below) `([^`]+)`:\n```\w+\n(.*?)^```$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project with all that the pages add."""
    copy = tmp_path_factory.mktemp("copy") / "tree"
    copy_project(copy)
    for page in PAGES:
        add_to(copy, (ROOT / page).read_text(encoding="utf-8"))
    return copy


def add_to(copy: Path, page: str) -> None:
    """Write the page's files and lines; an anchor must be there exactly once."""
    for name, code in FILE.findall(page):
        path = copy / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    for name, side, anchor, code in LINES.findall(page):
        path = copy / name
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (place,) = [place for place, line in enumerate(lines) if line.startswith(anchor)]
        lines.insert(place + (side == "below"), code)
        path.write_text("".join(lines), encoding="utf-8")


def run(tree: Path, *words: str) -> str:
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_auction_plays(tree: Path) -> None:
    words = ("example.py", "auction", "--offline", "--seed", "7", "--second-price", "--json")
    *events, result = map(json.loads, run(tree, *words).splitlines())
    assert [event["kind"] for event in events].count("sale") == 5
    assert {*result["outcome"]["placements"]} == {event["player_id"] for event in events} - {None}


def test_the_auction_passes_the_kit_and_the_law(tree: Path) -> None:
    kit = ("tests/test_every_game.py", "tests/test_architecture.py", "-k", "auction")
    passed = re.search(r"(\d+) passed", run(tree, "-m", "pytest", "-q", *kit))
    assert passed is not None
    assert int(passed[1]) > 10


def test_the_haggle_plays_and_passes_the_kit_and_its_tests(tree: Path) -> None:
    words = ("example.py", "haggle", "--players", "scripted:insist,scripted:equilibrium", "--json")
    *events, result = map(json.loads, run(tree, *words, "--seed", "7").splitlines())
    assert {event["kind"] for event in events} >= {"offer", "decision"}
    assert sum(result["outcome"]["scores"].values()) <= 10
    kit = ("tests/test_every_game.py", "tests/engine/games/haggle", "tests/test_architecture.py")
    passed = re.search(r"(\d+) passed", run(tree, "-m", "pytest", "-q", *kit, "-k", "haggle"))
    assert passed is not None
    assert int(passed[1]) > 16


def test_new_players_and_providers_sit_down(tree: Path) -> None:
    opener = run(tree, "example.py", "--players", "scripted:opener,scripted:greedy", "--json")
    events = [json.loads(line) for line in opener.splitlines()[:-1]]
    speakers = [event["player_id"] for event in events if event["kind"] == "speech"]
    assert 0 < speakers.count("Ada") <= 3 < len(speakers)
    voters = "first-choice,first-choice,scripted:loyal"
    run(tree, "example.py", "deliberations", "--players", voters, "--json")
    moderators = run(tree, "example.py", "guest", "--players", "absent,scripted:leader", "--json")
    actions = [json.loads(line) for line in moderators.splitlines()[:-1]]
    absent = {e["content"] for e in actions if (e["kind"], e["player_id"]) == ("action", "Ada")}
    assert absent == {"wait"}


def test_the_study_reports(tree: Path) -> None:
    shown = run(tree, "studies.py", "guest", "patience", "--episodes", "2", "--no-pictures")
    assert "Reward by patience" in shown


def test_the_foreign_format_is_read(tree: Path) -> None:
    (tree / "ladder.txt").write_text("Ada,Ben,Cleo\n,\nBen,Ada\n" * 20, encoding="utf-8")
    asked = [sys.executable, "tournament.py", "import", "orders", "ladder.txt", "--to", "ladder"]
    done = subprocess.run(asked, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ladder.txt, line 2: expected a player" in done.stdout + done.stderr
    tables = run(tree, "tournament.py", "rate", "ladder/rows.jsonl", "--csv")
    assert ["places", "Cleo"] in [line.split(",")[:2] for line in tables.splitlines()[1:]]


SHORT_CUP = """\
name: short-cup
game: {name: dilemma, max_rounds: 1, game_length: [3, 3]}
table: 2
entrants:
  tit-for-tat: {provider: scripted, model: tit_for_tat}
  cooperator: {provider: scripted, model: cooperator}
  defector: {provider: scripted, model: defector}
games: 12
"""


def test_the_target_is_rated(tree: Path) -> None:
    (tree / "short-cup.yaml").write_text(SHORT_CUP, encoding="utf-8")
    run(tree, "tournament.py", "play", "short-cup.yaml", "--processes", "1")
    words = ("rate", "short-cup", "--target", "margins", "--min-games", "1", "--html")
    ratings = run(tree, "tournament.py", *words, "--csv")
    margins = [float(row["rating"]) for row in csv.DictReader(ratings.splitlines())]
    assert margins[0] > 0 > margins[-1]
    # At each table of two what one is above the mean the other is below it.
    assert sum(margins) == pytest.approx(0, abs=1e-6)
    page = (tree / "logs/short-cup/report.html").read_text(encoding="utf-8")
    assert "By margins" in page
    assert "Mean payoff</th>" in page


def test_the_schedule_draws(tree: Path) -> None:
    cup = SHORT_CUP.replace("short-cup", "drawn-cup") + "schedule: {shuffled: {fixed: 1}}\n"
    (tree / "drawn-cup.yaml").write_text(cup, encoding="utf-8")
    run(tree, "tournament.py", "plan", "drawn-cup.yaml")
    run(tree, "tournament.py", "play", "drawn-cup.yaml", "--processes", "1")
    lines = (tree / "logs/drawn-cup/ledger.jsonl").read_text(encoding="utf-8").splitlines()
    seats = [json.loads(line)["seats"] for line in lines if '"kind": "draw"' in line]
    assert len(seats) == 12
    assert all("tit-for-tat" in names for names in seats)
    assert {name for names in seats for name in names} == {"tit-for-tat", "cooperator", "defector"}


def test_the_view_writes(tree: Path) -> None:
    run(tree, "example.py", "--offline", "--length", "4", "--logs-dir", "kept")
    (log,) = (tree / "kept").glob("*.json")
    run(tree, "logs.py", "--filename", log.stem, "--plain", "--logs-dir", "kept")
    assert log.with_suffix(".txt").read_text(encoding="utf-8").startswith("Round 1\n")


def test_the_board_draws(tree: Path, browser: Browser) -> None:
    words = ("auction", "--players", "scripted:random,scripted:shade", "--seed", "7", "--json")
    *lines, _ = run(tree, "example.py", *words, "--logs-dir", "sold").splitlines()
    (log,) = (tree / "sold").glob("*.json")
    run(tree, "logs.py", "--filename", log.stem, "--html", "--as", "Ada", "--logs-dir", "sold")
    (page,) = (tree / "sold").glob("*.html")
    witness = open_page(browser, page.as_uri())
    paid = Counter[str]()
    for event in map(json.loads, lines):
        if event["kind"] == "sale":
            paid[event["data"]["winner"]] += event["data"]["price"]
    board = witness.page.locator("svg.board")
    witness.page.keyboard.press("End")
    for player_id, sum_paid in paid.items():
        expect(board.get_by_text(f"{player_id} has paid {sum_paid}.")).to_be_attached()
    assert len(paid) == board.locator("rect").count() == 2
    assert not witness.errors


def test_all_of_it_is_typed_and_tidy(tree: Path) -> None:
    games = ("engine/games/auction", "engine/games/haggle")
    rooms = ("engine/exchange", "engine/ratings", "engine/views", "players", "providers")
    typed = (*games, *rooms, "protocol")
    assert "no issues found" in run(tree, "-m", "mypy", *typed)
    assert "All checks passed" in run(tree, "-m", "ruff", "check", ".")
    tidy = ("engine", "players", "protocol", "providers")
    assert "already formatted" in run(tree, "-m", "ruff", "format", "--check", *tidy)
