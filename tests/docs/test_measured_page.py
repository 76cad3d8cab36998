"""docs/measured.md is what its results give, and results of another suite are refused."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import copy_project

WRITE = [sys.executable, "docs/make_measured.py"]


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
    refused = subprocess.run(
        [*WRITE, str(folder)], cwd=tree, check=False, capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert "suite" in refused.stderr
