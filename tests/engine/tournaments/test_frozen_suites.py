"""Frozen suites: after its release a suite, its prompts and its references stay as they are."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from engine import prompting
from engine.games import GAMES
from engine.prompting import PROMPTS, template_hashes
from engine.tournaments.measure.references import References
from engine.tournaments.measure.suite import (
    Suite,
    check_frozen,
    check_versions,
    read_suite,
    suite_names,
)
from tests.support.measured import SUITE

RELEASED = SUITE.model_copy(update={"frozen": SUITE.sha256})


@pytest.mark.parametrize("name", [*suite_names()])
def test_a_released_suite_is_as_it_was(name: str) -> None:
    suite = read_suite(name)
    assert suite.frozen in (False, suite.sha256)


def with_first_task(**changes: Any) -> dict[str, Any]:
    name, task = next(iter(SUITE.tasks.items()))
    return {"tasks": {**SUITE.tasks, name: task.model_copy(update=changes)}}


@pytest.mark.parametrize(
    "change",
    [
        {"name": "arena-9"},
        {"seed": 2},
        {"versions": {**SUITE.versions, "openspiel": 99}},
        {"references": References(ladders=SUITE.references.ladders)},
        with_first_task(deals=13),
        with_first_task(about="Speak."),
        with_first_task(floor="greedy"),
    ],
)
def test_a_change_is_refused(change: dict[str, Any]) -> None:
    check_frozen(RELEASED)
    with pytest.raises(ValueError, match=r"as it was released, .*: got [0-9a-f]{12}; undo the"):
        check_frozen(RELEASED.model_copy(update=change))


def test_other_rules_are_refused() -> None:
    check_versions(SUITE)
    other = SUITE.model_copy(update={"versions": {**SUITE.versions, "dilemma": 99}})
    with pytest.raises(ValueError, match=r"^arena-1 compares results of dilemma 99: got version 4"):
        check_versions(other)


def test_the_fingerprint_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(GAMES), "missing_extra", lambda _, name: "x" * (name == "openspiel"))
    assert "openspiel" not in GAMES
    assert read_suite("arena-1") == SUITE


@pytest.fixture
def prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of all prompts, which the suite reads."""
    copied = tmp_path / "prompts"
    copytree(PROMPTS, copied)
    monkeypatch.setattr(prompting, "PROMPTS", copied)
    template_hashes.cache_clear()
    yield copied
    monkeypatch.undo()
    template_hashes.cache_clear()


def is_refused(suite: Suite) -> bool:
    template_hashes.cache_clear()
    return suite.sha256 != suite.frozen


def test_a_changed_template_of_any_wording_is_refused(prompts: Path) -> None:
    templates = SUITE.templates(SUITE.versions)
    assert len([path for path in templates if path.startswith("wordings/")]) == 2 * 9
    for template in templates:
        path = prompts / template
        text = path.read_text("utf-8")
        path.write_text(f"{text} ", encoding="utf-8")
        assert is_refused(RELEASED), template
        path.write_text(text, encoding="utf-8")
    assert not is_refused(RELEASED)


@pytest.mark.parametrize("template", ["shared/pitch.j2", "openspiel/chess.j2", "talks/rules.j2"])
def test_templates_of_other_games_may_change(prompts: Path, template: str) -> None:
    (prompts / template).write_text("Anything.", encoding="utf-8")
    assert not is_refused(RELEASED)
