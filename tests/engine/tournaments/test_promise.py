"""plan.json: written before the first game, sealed, and compared with what was played."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tournament
from engine.tournaments.plan.promise import PLAN, method_with_plan, promise_of, seal_of
from engine.tournaments.report.card import report_card
from engine.tournaments.report.page import report_html
from engine.tournaments.settings import TournamentSettings, read_tournament
from engine.tournaments.sources.find import read_cup
from engine.tournaments.sources.source import Source
from engine.tournaments.standings.method import Method
from tests.engine.tournaments.test_report import ORIGIN
from tests.support.narrowing import not_none
from tests.support.terminal import Capture
from tests.support.tournaments.cups import short_cup, write_cup
from tests.support.tournaments.rated import dealt_rows, standings_from

FOLLOWED = "The tournament followed the plan."


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the YAML of a tournament of 12 games that was planned, then played."""
    path = write_cup(tmp_path_factory.mktemp("planned"), short_cup(games=12, min_games=5))
    assert command("plan", path) == 0
    assert command("play", path) == 0
    return path


def command(word: str, *words: object) -> int:
    logs = Path(str(words[0])).parent if Path(str(words[0])).parent.name else "logs"
    return tournament.main([word, *map(str, words), "--logs-dir", str(logs)])


def played(cup: Path) -> tuple[Source, Method]:
    source = read_cup(cup.parent / "cup")
    return source, Method.of(not_none(source.settings))


@pytest.fixture
def plan(cup: Path) -> Iterator[dict[str, Any]]:
    """Yield what plan.json says; what a test writes there goes again."""
    path = cup.parent / "cup" / PLAN
    before = path.read_text("utf-8")
    yield json.loads(before)
    path.write_text(before, encoding="utf-8")


def rewritten(cup: Path, plan: dict[str, Any], *, sealed: bool = True) -> tuple[str, ...]:
    """Write a plan over that of the cup, and return what its report says."""
    own = plan | {"sha256": seal_of(plan)} if sealed else plan
    (cup.parent / "cup" / PLAN).write_text(json.dumps(own), encoding="utf-8")
    return method_with_plan(*played(cup)).plan


def test_the_plan_names_what_it_promises(cup: Path, plan: dict[str, Any]) -> None:
    settings = read_tournament(cup)
    assert plan == promise_of(settings, 12) | {"sha256": seal_of(plan)}
    assert plan["targets"] == list(settings.targets)
    assert (plan["games"], plan["pairs"], plan["stop"]) == (12, "all", None)
    assert plan["settings"] == settings.sha256
    names = [*settings.entrants][:2]
    stop = TournamentSettings.model_validate(settings.public() | {"stop": {"separated": names}})
    assert promise_of(stop, 12)["pairs"] == [names]
    assert promise_of(stop, 12)["stop"]["separated"] == names


def test_the_report_says_that_it_was_followed(
    cup: Path, plan: dict[str, Any], capsys: Capture
) -> None:
    told, kept = method_with_plan(*played(cup)).plan
    assert told.startswith("Before play, 12 games rated by ")
    assert plan["sha256"][:16] in told
    assert kept == FOLLOWED
    assert tournament.main(["rate", "cup", "--html", "--logs-dir", str(cup.parent)]) == 0
    assert FOLLOWED in capsys.readouterr().out
    for name in ("report.html", "card.md", "ratings.json"):
        assert FOLLOWED in (cup.parent / "cup" / name).read_text("utf-8"), name


@pytest.mark.parametrize(
    ("changes", "clause"),
    [
        ({"targets": ["places"]}, 'planned ["places"]'),
        ({"games": 20}, "12 games are over, planned 20"),
        ({"games": 10}, "12 games are over, planned 10"),
        ({"pairs": [["a", "b"]]}, 'pairs: "all", planned [["a", "b"]]'),
        ({"stop": {"top": 1}}, 'stop: null, planned {"top": 1}'),
        ({"settings": "0" * 64}, "other settings"),
    ],
)
def test_each_departure_is_named(
    cup: Path, plan: dict[str, Any], changes: dict[str, Any], clause: str
) -> None:
    _, kept = rewritten(cup, plan | changes)
    assert kept.startswith("The tournament departs from the plan: ")
    assert clause in kept
    assert "was changed" not in kept
    _, unsealed = rewritten(cup, plan | changes, sealed=False)
    assert "plan.json was changed after it was written" in unsealed


def test_a_data_set_has_it_too(
    cup: Path, plan: dict[str, Any], tmp_path: Path, capsys: Capture
) -> None:
    words = ["export", "cup", "--to", str(tmp_path / "data"), "--logs-dir", str(cup.parent)]
    assert tournament.main(words) == 0
    assert tournament.main(["rate", str(tmp_path / "data" / "seats.jsonl.gz")]) == 0
    assert FOLLOWED in capsys.readouterr().out


def test_the_stop_rule_may_end_it_early_and_an_option_may_not_change_the_target(
    cup: Path, plan: dict[str, Any]
) -> None:
    rewritten(cup, plan | {"games": 20})
    source, method = played(cup)
    assert method_with_plan(replace(source, stopped=True), method).plan[1] == FOLLOWED
    rewritten(cup, plan)
    other = replace(method, targets=("points",))
    assert 'targets: ["points"]' in method_with_plan(source, other).plan[1]


def test_once_begun_the_plan_stays(cup: Path, plan: dict[str, Any], capsys: Capture) -> None:
    assert command("plan", cup, "--games", 99) == 0
    assert "plan.json was left unchanged" in " ".join(capsys.readouterr().out.split())
    assert json.loads((cup.parent / "cup" / PLAN).read_text("utf-8")) == plan
    (cup.parent / "cup" / PLAN).unlink()
    assert command("plan", cup) == 0
    assert "plan.json was not written" in " ".join(capsys.readouterr().out.split())
    assert method_with_plan(*played(cup)).plan == ()


def test_before_the_first_game_the_plan_may_change(tmp_path: Path, capsys: Capture) -> None:
    path = write_cup(tmp_path, short_cup(games=12))
    for games in (30, 40):
        assert command("plan", path, "--games", games) == 0
    found = json.loads((tmp_path / "cup" / PLAN).read_text("utf-8"))
    assert found["games"] == 40
    assert found["sha256"] in "".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sha256": 1}', '{"sha256": "", "games": "x"}'])
def test_a_file_that_is_no_plan_is_said(cup: Path, plan: dict[str, Any], text: str) -> None:
    (cup.parent / "cup" / PLAN).write_text(text, encoding="utf-8")
    (told,) = method_with_plan(*played(cup)).plan
    assert "nothing shows that there was a plan" in told


def test_hostile_words_of_a_plan_are_inert(cup: Path, plan: dict[str, Any]) -> None:
    hostile = "\x1b[2J<script>x</script> | [a](http://b)"
    sentences = rewritten(cup, plan | {"pairs": [[hostile, "b"]]})
    found = replace(standings_from(dealt_rows()), plan=sentences)
    page = report_html(found, ORIGIN)
    assert "<script" not in page
    assert "\x1b" not in page + report_card(found, ORIGIN)
    assert "[a](http:" not in report_card(found, ORIGIN)
