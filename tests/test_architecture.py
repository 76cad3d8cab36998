"""The import law: arrows point down the floors, no game knows another, and rules do not talk.

The law is told by folder, so a new game, provider, seat, study or view edits nothing here.
"""

import ast
from collections.abc import Collection
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from pydantic import BaseModel

from tests.support.paths import ROOT

# Top first: a module imports from its own floor, from the floors below, and from the ground.
FLOORS = (
    ("example", "logs", "talks", "studies", "serve", "tournament", "env_gym"),
    ("engine.cli",),
    ("engine.server", "labs"),
    ("engine.tournaments", "engine.exchange"),
    ("engine.runs",),
    ("engine.engine", "engine.config"),
    (
        "engine.games",
        "engine.game",
        "engine.round",
        "engine.round_phases",
    ),
    ("engine.views", "engine.record", "engine.spending", "engine.history"),
    ("player", "players", "client_factory", "protocol", "providers"),
)
GROUND = ("engine.ratings", "engine.report", "engine.rng", "engine.prompting")
ANSWERERS = FLOORS[-1]
PURE = (
    "engine.games", "engine.ratings", "engine.report", "engine.history",
    "engine.round_phases.voting", "labs.bias.estimators",
)  # fmt: skip
# In a game's folder these may read files and hold the parts together; all else is pure.
# A game's `library` is a door to rules that are not ours: it keeps what those draw and print apart.
# The `memory` of talks loads vectors of words.
PLAYING = {"game", "library", "memory", "strategies"}
# The libraries that pure modules may use, and what of those that also draw, read files or print.
SILENT = {
    "bisect", "collections", "copy", "csv", "dataclasses", "enum", "functools", "hashlib", "io",
    "itertools", "json", "math", "numba", "numbers", "numpy", "operator", "PIL", "pydantic",
    "random", "re", "statistics", "sys", "types", "typing", "unicodedata",
}  # fmt: skip
ONLY = {
    "PIL": ("PIL.Image.new", "PIL.Image.Image", "PIL.ImageDraw", "PIL.ImageFont.load_default"),
    "csv": ("csv.writer",),
    "io": ("io.BytesIO", "io.StringIO"),
    "json": ("json.dumps", "json.loads"),
    "numpy.random": ("numpy.random.Generator",),
    "random": ("random.Random",),
    "sys": ("sys.getrefcount",),
}
LOUD = {
    *("numpy.DataSource", "numpy.ctypeslib", "numpy.datetime64", "numpy.fromfile", "numpy.lib"),
    *("numpy.fromregex", "numpy.genfromtxt", "numpy.load", "numpy.loadtxt", "numpy.memmap"),
    *("numpy.save", "numpy.savetxt", "numpy.savez", "numpy.savez_compressed", "numpy.testing"),
}
BUILTINS = {
    *("__builtins__", "__import__", "breakpoint", "compile", "eval", "exec", "globals", "input"),
    *("open", "print"),
}
METHODS = {
    *("dump", "now", "open", "read_bytes", "read_text", "save", "today", "tofile", "utcnow"),
    *("write_bytes", "write_text"),
}
# What only the server may import: no other command waits for these.
SERVING = ("fastapi", "starlette", "uvicorn", "h11", "websockets", "mcp")
REGISTRY = "engine.games"  # it imports a game when it is first asked for
# What the oracles of the tests read logs with: none of it is a rule of a game.
READING = ("engine.history", "engine.rng", "engine.games.talks.memory", "protocol")
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


OWN = {module.partition(".")[0] for module in modules()}


def stands_in(module: str, places: Collection[str]) -> bool:
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
    return stands_in(module, PURE) and not inside & PLAYING and module != REGISTRY


class Offences(ast.NodeVisitor):
    """What a module does that pure code must not do, a line each."""

    def __init__(self, tree: ast.Module) -> None:
        self.full_names: dict[str, str] = {}
        self.found: list[str] = []
        self.visit(tree)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            package = alias.name.partition(".")[0]
            self.full_names[alias.asname or package] = alias.name if alias.asname else package
            self.judge(alias.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.full_names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            self.judge(f"{node.module}.{alias.name}", node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in METHODS:
            self.refuse(f"a method {node.attr}", node)
        name = self.full_name(node)
        self.judge(name, node)
        if not name:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        name = self.full_names.get(node.id, "")
        if node.id in BUILTINS:
            self.refuse(node.id, node)
        elif name in SILENT or is_passage(name):
            self.refuse(f"{name} as a value, whose attributes no law sees", node)

    def visit_Call(self, node: ast.Call) -> None:
        if self.full_name(node.func) == "random.Random" and not node.args:
            self.refuse("a stream without a seed", node)
        self.generic_visit(node)

    def full_name(self, node: ast.expr) -> str:
        """Return the name by which an import reaches what `node` is, "" if none does."""
        if isinstance(node, ast.Attribute):
            before = self.full_name(node.value)
            return before and f"{before}.{node.attr}"
        return self.full_names.get(node.id, "") if isinstance(node, ast.Name) else ""

    def judge(self, name: str, node: ast.AST) -> None:
        library = name.partition(".")[0]
        if not name or library in OWN:
            return
        only = [allowed for place, allowed in ONLY.items() if stands_in(name, (place,))]
        kept = all(stands_in(name, allowed) or is_passage(name) for allowed in only)
        if library not in SILENT or stands_in(name, LOUD) or not kept:
            self.refuse(name, node)

    def refuse(self, what: str, node: ast.AST) -> None:
        self.found.append(f"line {getattr(node, 'lineno', 0)}: {what}")


def is_passage(name: str) -> bool:
    """Return whether `name` only leads to what may be used, as numpy.random to its Generator."""
    return any(allowed.startswith(f"{name}.") for each in ONLY.values() for allowed in each)


def test_arrows_point_down() -> None:
    for module in modules():
        upward = [other for other in own_imports_of(module) if floor_of(other) < floor_of(module)]
        assert not upward, f"{module} imports what is above it"


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


def test_an_oracle_shares_no_rule_with_its_game() -> None:
    """It takes records and constants from a game, and never a function."""
    for path in (ROOT / "tests" / "oracles").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not [alias for alias in node.names if alias.name in modules()], path
            elif isinstance(node, ast.ImportFrom) and not stands_in(str(node.module), READING):
                module = str(node.module)
                taken = [alias.name for alias in node.names] if module in modules() else []
                assert all(is_record(import_module(module), name) for name in taken), (path, taken)


def is_record(module: ModuleType, name: str) -> bool:
    """Return whether a module's name is a constant or the class of a record."""
    held = getattr(module, name)
    if not isinstance(held, type):
        return name.isupper() and not callable(held)
    return is_dataclass(held) or issubclass(held, Enum | BaseModel)


def test_only_the_server_serves() -> None:
    for module in modules():
        if not stands_in(module, ("engine.server",)):
            assert not [name for name in imports_of(module) if stands_in(name, SERVING)], module


def test_rules_do_not_talk() -> None:
    for module in filter(is_pure, modules()):
        talking = [name for name in own_imports_of(module) if stands_in(name, TALKING)]
        assert not talking, f"{module} imports what talks"
        assert not Offences(tree_of(module)).found, f"{module} is not pure"


PLANTED = """
from numpy.random import default_rng
import numpy as np; np.random.default_rng(1)
import numpy.random as draws; draws.seed(1)
from numpy import random as draws; draws.normal()
from numpy import random as draws; getattr(draws, "normal")
import numpy as np; getattr(np, "load")
import numpy as np; np.load("a.npy")
import numpy as np; np.savez("a.npz")
import numpy as np; np.fromfile("a")
import numpy as np; np.zeros(3).tofile("a")
import numpy as np; np.datetime64("now")
from numpy import memmap
from PIL import Image; Image.open("a.png")
from PIL import Image; Image.new("RGB", (1, 1)).save("a.png")
from PIL import ImageFont; ImageFont.truetype("a.ttf")
from PIL import ImageGrab
import random; random.random()
import random; random.Random()
import random; random.SystemRandom()
from random import choice
from random import Random; Random()
import importlib
from importlib import import_module
from importlib.resources import files
__import__("os")
__builtins__["open"]("a")
eval("1")
exec("a = 1")
compile("1", "a", "eval")
globals()["open"]
open("a")
read = open
print("a")
input()
import io; io.open("a")
from io import FileIO
import json; json.load(source)
import csv; csv.reader(source)
import time; time.time()
from time import sleep
import datetime; datetime.datetime.now()
from datetime import datetime
clock.now()
import os
import os.path
import sys; sys.stdout.write("a")
from sys import argv
import pathlib
from pathlib import Path
path.read_text()
from engine.prompting import PROMPTS; PROMPTS.write_bytes(b"a")
import subprocess
import asyncio
def draw(): import socket
"""


def test_each_planted_offence_is_refused() -> None:
    for line in PLANTED.strip().splitlines():
        assert Offences(ast.parse(line)).found, line


def test_what_pure_code_needs_is_allowed() -> None:
    for line in (
        "import numpy as np\ndef draw(rng: np.random.Generator): return np.zeros(3)",
        "from numpy.random import Generator",
        "from random import Random; Random(7).random()",
        "import random; random.Random(seed)",
        "import json; json.loads(json.dumps({}))",
        "from PIL import Image, ImageDraw; ImageDraw.Draw(Image.new('RGB', (1, 1)))",
        "import re; re.compile('a')",
        "from engine.rng import stream; stream(7, 'a')",
    ):
        assert not Offences(ast.parse(line)).found, line


def test_the_law_names_every_floor_once() -> None:
    places = [place for floor in (*FLOORS, GROUND) for place in floor]
    assert all(one != other for one, other in pairwise(sorted(places)))


def test_engine_package_imports_no_other_module() -> None:
    assert own_imports_of("engine") == []
