"""The import law: arrows point down the floors, no game knows another, and rules do not talk.

The law is told by folder, so a new game, provider, seat, study or view edits nothing here.
"""

import ast
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.paths import ROOT

# Top first: a module imports from its own floor, from the floors below, and from the ground.
FLOORS = (
    ("example", "logs", "talks", "studies", "serve", "tournament", "env_gym"),
    ("engine.cli",),
    ("engine.server", "engine.apps", "labs"),
    ("engine.tournaments", "engine.exchange"),
    ("engine.runs",),
    ("engine.engine", "engine.config"),
    (
        "engine.games",
        "engine.game",
        "engine.checks",
        "engine.round",
        "engine.round_payloads",
        "engine.round_phases",
    ),
    ("engine.views", "engine.record", "engine.spending", "engine.history"),
    ("player", "players", "client_factory", "protocol", "providers"),
)
GROUND = (
    "engine.ratings", "engine.report", "engine.voting", "engine.statistics", "engine.rng",
    "engine.pairing", "engine.prompting", "engine.memory",
)  # fmt: skip
ANSWERERS = FLOORS[-1]
PURE = (
    "engine.games", "engine.ratings", "engine.report", "engine.history", "engine.pairing",
    "engine.voting", "labs.bias.estimators",
)  # fmt: skip
# In a game's folder these may read files and hold the parts together; all else is pure.
# A game's `library` is a door to rules that are not ours: it keeps what those draw and print apart.
PLAYING = {"game", "library", "strategies"}
# The libraries that pure modules may use: none of them opens a file or a socket, or reads a clock.
SILENT = {
    "bisect", "collections", "copy", "csv", "dataclasses", "enum", "functools", "hashlib",
    "importlib", "io", "itertools", "json", "math", "numba", "numbers", "numpy", "operator", "PIL",
    "pydantic", "pyspiel", "random", "re", "statistics", "sys", "types", "typing", "unicodedata",
}  # fmt: skip
# What only the server may import: no other command waits for these.
SERVING = ("fastapi", "starlette", "uvicorn", "h11", "websockets", "mcp")
TALKING = ("engine.record", "engine.spending", "engine.views", "client_factory")


@cache
def modules() -> dict[str, Path]:
    """Return the project's own modules by their dotted names."""
    folders = ("engine", "labs", "players", "protocol", "providers")
    inner = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return {name_of(path): path for path in (*ROOT.glob("*.py"), *inner)}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """Return what `module` imports, anywhere in it, by dotted name."""
    found = []
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in modules() else str(node.module) for name in names]
    return tuple(found)


def own_imports_of(module: str) -> list[str]:
    return [name for name in imports_of(module) if name in modules() and name != module]


def stands_in(module: str, places: tuple[str, ...]) -> bool:
    return any(module == place or module.startswith(f"{place}.") for place in places)


def floor_of(module: str) -> int:
    """Return the place of a module's floor from the top; the ground is below all floors."""
    if module == "engine" or stands_in(module, GROUND):
        return len(FLOORS)
    floors = [place for place, folders in enumerate(FLOORS) if stands_in(module, folders)]
    assert floors, f"{module} stands on no floor: put it into one of the folders, or name its floor"
    return floors[0]


def is_pure(module: str) -> bool:
    inside = set(module.split(".")[3:])
    return stands_in(module, PURE) and not inside & PLAYING


@pytest.mark.parametrize("module", sorted(modules()))
def test_arrows_point_down(module: str) -> None:
    upward = [other for other in own_imports_of(module) if floor_of(other) < floor_of(module)]
    assert not upward, f"{module} imports what stands above it"


def test_there_is_no_circle() -> None:
    done: set[str] = set()

    def visit(path: tuple[str, ...]) -> None:
        module = path[-1]
        assert module not in path[:-1], " > ".join(path)
        if module not in done:
            for other in own_imports_of(module):
                visit((*path, other))
            done.add(module)

    for module in modules():
        visit((module,))


def test_research_is_beside_the_product() -> None:
    for module in modules():
        if stands_in(module, ("engine",)) and not stands_in(module, ("engine.cli",)):
            assert not [name for name in imports_of(module) if stands_in(name, ("labs",))], module


def test_whoever_answers_knows_no_engine() -> None:
    for module in modules():
        if stands_in(module, ANSWERERS):
            assert not [name for name in imports_of(module) if name.startswith("engine")], module


def test_no_game_knows_another() -> None:
    for module in modules():
        parts = module.split(".")
        if parts[:2] == ["engine", "games"] and len(parts) > 2:
            others = [name for name in imports_of(module) if name.startswith("engine.games.")]
            assert all(name.split(".")[2] == parts[2] for name in others), module


def test_only_the_server_serves() -> None:
    for module in modules():
        if not stands_in(module, ("engine.server",)):
            assert not [name for name in imports_of(module) if stands_in(name, SERVING)], module


@pytest.mark.parametrize("module", sorted(filter(is_pure, modules())))
def test_rules_do_not_talk(module: str) -> None:
    own = own_imports_of(module)
    assert not [name for name in own if stands_in(name, TALKING)]
    outside = {name.partition(".")[0] for name in imports_of(module) if name not in modules()}
    assert outside <= SILENT
    for node in ast.walk(tree_of(module)):
        match node:
            case ast.Attribute(value=ast.Name(id="random"), attr=drawn):
                assert drawn == "Random", "rules draw from the stream they are handed"
            case ast.Call(func=ast.Name(id=called)):
                assert called not in {"open", "print", "input"}


def test_the_law_names_every_floor_once() -> None:
    places = [place for floor in (*FLOORS, GROUND) for place in floor]
    assert all(one != other for one, other in pairwise(sorted(places)))


def test_engine_package_imports_nothing() -> None:
    assert imports_of("engine") == ()
