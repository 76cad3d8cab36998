"""docs/pettingzoo.md is true: its random loop plays to the end, and its learner learns."""

import re
from typing import Any

import pytest

from tests.support.paths import ROOT
from tests.support.terminal import Capture

pytest.importorskip("pettingzoo", reason="comes with the extra pettingzoo")

PAGE = (ROOT / "docs" / "pettingzoo.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo")
def test_the_random_loop_and_the_learner_do_what_the_page_says(
    capsys: Capture,
) -> None:
    loop, learner = SNIPPETS
    exec(compile(loop, "pettingzoo.md", "exec"), {})
    assert "wins with" in capsys.readouterr().out

    learned: dict[str, Any] = {}
    exec(compile(learner, "pettingzoo.md", "exec"), learned)
    assert re.search(r"^\d+\.\d points at random", capsys.readouterr().out)
    # Random moves earn (3 + 0 + 5 + 1) / 4 = 2.25 a move; all but always cooperating 3 of 20.
    assert 42 < learned["before"] < 48
    assert learned["after"] > 55
