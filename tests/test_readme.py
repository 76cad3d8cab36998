"""The README is true: its Python runs, and its commands have the options they name."""

import re
import shlex

import pytest

from engine.cli.logs import read_log_options
from engine.cli.options import read_request
from engine.cli.studies import asked_study, study_parser
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = sorted(
    set(re.findall(r"^uv run (example\.py|logs\.py|studies\.py)(.*)$", README, re.MULTILINE))
)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_python_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize(("script", "words"), COMMANDS)
def test_commands_have_the_options_they_name(
    script: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    told = shlex.split(words)
    if script == "logs.py":
        assert read_log_options(told) is not None
    elif script == "studies.py":
        assert study_parser(*asked_study(told)).read(told) is not None
    elif "NAME" not in told:
        assert read_request(told) is not None


@pytest.mark.parametrize("path", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(path: str) -> None:
    assert (ROOT / path).exists()
