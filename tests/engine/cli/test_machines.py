"""`--ray` is refused in one sentence where it cannot be."""

from pathlib import Path

import pytest

from tests.support.programs import run_python
from tests.support.tournaments.cups import short_cup, write_cup
from tournament import main


@pytest.fixture
def cup(tmp_path: Path) -> str:
    return str(write_cup(tmp_path, short_cup()))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--collect"], "expected --ray ADDRESS with --collect"),
        (["--ray", "local", "--shard", "1/2"], "expected either --ray or --shard"),
        (["--ray", "local", "--processes", "2"], "expected either --ray or --processes"),
    ],
)
def test_options_that_do_not_go_together(
    cup: str, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", cup, *words]) == 2
    assert sentence in capsys.readouterr().err


def test_without_the_extra_its_command_is_told(cup: str) -> None:
    """A module that is None cannot be imported, as if it were not installed."""
    program = (
        "import sys; sys.modules['ray'] = None; from tournament import main; "
        f"sys.exit(main(['play', {cup!r}, '--ray', 'local']))"
    )
    done = run_python("-c", program, code=2)
    assert "uv sync --extra cluster" in done.stderr
    assert done.stderr.count("\n") == 1
