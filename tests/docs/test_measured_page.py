"""docs/measured.md is what its results give, and results of another suite are refused."""

import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.tournaments.measure.measured import read_measured
from engine.views.plots import ROW
from protocol.text import lines_of_name
from tests.support.paths import ROOT, copy_project

WRITE = [sys.executable, "docs/make_measured.py"]


def test_no_name_is_cut_in_the_picture() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "make_measured.py"))
    paths = (ROOT / "docs" / "measured").glob("*.json")
    results = [script["Result"]("", read_measured(path)) for path in paths]
    labels = [*script["labelled_tasks"](results)]
    assert "poker: local:qwen2.5-coder-0.5b-instruct-q4_k_m" in labels
    assert not [label for label in labels if "…" in lines_of_name(label, ROW)[-1]]


@pytest.mark.slow
def test_the_page_is_written_from_its_results(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    copy_project(tree)
    page = tree / "docs" / "measured.md"
    before = page.read_text(encoding="utf-8")
    page.unlink()
    subprocess.run(WRITE, cwd=tree, check=True)
    assert page.read_text(encoding="utf-8") == before

    first = min((tree / "docs" / "measured").glob("*.json"))
    changed = json.loads(first.read_text(encoding="utf-8"))
    changed["suite_sha256"] = "0" * 64
    folder = tmp_path / "local"
    folder.mkdir()
    (folder / "measure.json").write_text(json.dumps(changed), encoding="utf-8")
    shutil.rmtree(tree / "docs" / "measured")
    command = [*WRITE, str(folder)]
    refused = subprocess.run(command, cwd=tree, check=False, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "suite" in refused.stderr
