"""The import law: arrows point down the layers, no game knows another, and rules import nothing that talks."""

import ast
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Top first. A module imports only from layers below its own, or from its own layer without a circle.
LAYERS = [
    ["env_gym", "example", "logs", "studies", "talks"],
    ["engine.gym", "engine.gym.*"],
    ["engine.studies"],
    ["engine.studies.*", "engine.tournaments"],
    ["engine.processes"],
    ["engine.options", "engine.orchestrator"],
    ["engine.many", "engine.probing", "engine.rehearsal", "engine.replay"],
    ["engine.engine", "engine.interrupt"],
    ["engine.config", "engine.seating"],
    ["engine.games"],
    ["engine.games.*.game"],
    ["engine.games.*.events", "engine.games.*.explanation", "engine.games.*.report"],
    ["engine.games.*.strategies", "engine.games.*.strategies.*", "engine.games.*.table", "engine.games.guest.trained"],
    ["engine.games.*.answers"],
    ["engine.games.*.settings"],
    ["engine.game", "engine.round_phases"],
    ["engine.round"],
    ["engine.prompting"],
    ["engine.views", "engine.views.*"],
    ["engine.memory", "engine.memory.*"],
    ["engine.budget"],
    ["engine.costs", "engine.history", "engine.journal"],
    ["player"],
    ["judging"],
    ["turn"],
    ["answer"],
    ["client_factory"],
    ["providers", "providers.*"],
    ["engine.commandline", "engine.disk"],
    ["nearest"],
    ["engine.games.*", "engine.games.*.*", "engine.charts", "engine.rng", "engine.sheets", "engine.voting", "engine"],
]
PURE = len(LAYERS) - 1
SILENT = {
    "bisect", "collections", "copy", "dataclasses", "enum", "functools", "hashlib", "itertools", "math", "numba",
    "numbers", "numpy", "operator", "random", "re", "statistics", "sys", "types", "typing", "unicodedata",
}  # fmt: skip


@cache
def modules() -> dict[str, Path]:
    paths = [*ROOT.glob("*.py"), *(ROOT / "engine").rglob("*.py"), *(ROOT / "providers").rglob("*.py")]
    return {name_of(path): path for path in paths}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def layer_of(module: str) -> int:
    return next(layer for layer, names in enumerate(LAYERS) for name in names if matches(module, name))


def matches(module: str, pattern: str) -> bool:
    """A star stands for one part of a dotted name."""
    parts, wanted = module.split("."), pattern.split(".")
    return len(parts) == len(wanted) and all(map(fnmatch, parts, wanted))


@cache
def imports_of(module: str) -> tuple[str, ...]:
    found = []
    for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in modules() else str(node.module) for name in names]
    return tuple(found)


@pytest.mark.parametrize("module", sorted(modules()))
def test_arrows_point_down(module: str) -> None:
    upward = [other for other in imports_of(module) if other in modules() and layer_of(other) < layer_of(module)]
    assert not upward, f"{module} imports what stands above it"


def test_there_is_no_circle() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " > ".join((*path, module))
        if module not in done:
            for other in imports_of(module):
                if other in modules() and other != module:
                    visit(other, (*path, module))
            done.add(module)

    for module in modules():
        visit(module, ())


def test_no_game_knows_another() -> None:
    for module in modules():
        parts = module.split(".")
        if parts[:2] == ["engine", "games"] and len(parts) > 2:
            others = [name for name in imports_of(module) if name.startswith("engine.games.")]
            assert all(name.split(".")[2] == parts[2] for name in others), module


@pytest.mark.parametrize("module", sorted(name for name in modules() if layer_of(name) == PURE))
def test_rules_import_nothing_that_talks(module: str) -> None:
    outside = [name for name in imports_of(module) if name not in modules()]
    assert {name.split(".")[0] for name in outside} <= SILENT
    of_sys = [
        alias.name
        for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "sys"
        for alias in node.names
    ]
    assert ("sys" in outside) <= (of_sys == ["getrefcount"]), "of sys, rules count references and touch nothing else"
    drawn = [
        node.attr
        for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random"
    ]
    assert set(drawn) <= {"Random"}, "rules draw from the stream they are handed, never from the global one"


def test_engine_package_imports_nothing() -> None:
    assert imports_of("engine") == ()
