"""The law of the one door: nothing else opens a file, unpacks it, or parses JSON of strangers."""

import ast

import pytest

from engine.record.files import DEEPEST, MOST_DIGITS, read_json
from tests.test_architecture import Offences, modules, tree_of

RAW = {
    *("open", "io.open", "io.FileIO", "os.open", "os.fdopen", "json.load", "json.loads"),
    *("json.JSONDecoder", "pickle.load", "pickle.loads", "tarfile.open", "tomllib.load"),
    *("gzip.GzipFile", "gzip.open", "gzip.decompress", "bz2.open", "bz2.BZ2File"),
    *("bz2.decompress", "lzma.open", "lzma.decompress", "zlib.decompress", "zlib.decompressobj"),
    *("zipfile.ZipFile", "zstandard.ZstdDecompressor", "yaml.safe_load", "yaml.load"),
}
READING = {"read_text", "read_bytes"}
# What else does so, and why it may.
ALLOWED = {
    "engine.record.files": {"open", "os.open", "io.FileIO", "json.loads"},  # the door
    "engine.record.archives": {"gzip.GzipFile", "zipfile.ZipFile", "zstandard.ZstdDecompressor"},
    "engine.record.yaml": {"yaml.safe_load"},  # bounds what it parses
    "engine.record.journal": {"open a path"},  # to lock and write what the door has read
    # Below the door; these read what comes with the program, or what it wrote itself.
    "engine": {"read_text"},
    "engine.cli.init_game": {"read_text"},  # the files that it copies, and the table of games
    "engine.prompting": {"read_text", "read_bytes", "json.loads", "yaml.safe_load"},
    "providers.local": {"open a path", "json.loads"},  # four bytes of weights; its own child's line
    "providers.gguf": {"open a path"},  # the head of weights; ends where the file does
    "providers.faster_weights": {"open a path"},  # the weights that come with the program
    "providers.arrivals": {"zlib.decompressobj"},  # of a server's answer, up to a bound
    "providers.llama_server": {"json.loads"},  # its own parent's orders
    "protocol.console": {"json.loads"},  # lines of a prompt that the program rendered
    "protocol.judge": {"json.loads"},  # an answer of bounded length; any error is a fault
    "protocol.answer": {"json.JSONDecoder"},  # likewise
    # These only write.
    "engine.exchange.dataset.tables": {"gzip.GzipFile"},
    "engine.cli.main": {"os.open"},
}


def raw_reads(tree: ast.Module) -> set[str]:
    """Return which raw ways to read a module uses."""
    names = Offences(tree)
    found = set()
    annotations = {id(part) for node in ast.walk(tree) for part in annotation_parts(node)}
    waited = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Await)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in READING:
            found.add(node.attr)
        if isinstance(node, ast.Name | ast.Attribute) and id(node) not in annotations:
            name = node.id if isinstance(node, ast.Name) and node.id == "open" else ""
            name = name or names.full_name(node)
            found |= {name} & RAW
        if isinstance(node, ast.Call) and id(node) not in waited and opens_path(node):
            found.add("open a path")
    return found


def annotation_parts(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a node's annotations, which name classes and read nothing."""
    held = [getattr(node, name, None) for name in ("annotation", "returns")]
    return [part for each in held if isinstance(each, ast.AST) for part in ast.walk(each)]


def opens_path(call: ast.Call) -> bool:
    """Return whether a call of a method `open` reads: it has a mode that does, or none at all."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "open"):
        return False
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    mode = call.args[0] if call.args else keywords.get("mode")
    if mode is None:
        return not keywords or "encoding" in keywords
    return isinstance(mode, ast.Constant) and str(mode.value).startswith(("r", "b", "t"))


def test_only_the_door_reads() -> None:
    used = {module: raw_reads(tree_of(module)) for module in modules()}
    assert {module: found for module, found in used.items() if found} == ALLOWED


@pytest.mark.parametrize(
    "line",
    [
        "open('a')",
        "read = open",
        "from json import loads; loads('1')",
        "import json; map(json.loads, lines)",
        "from zipfile import ZipFile as Archive; Archive('a')",
        "import bz2; bz2.decompress(b'')",
        "path.read_text()",
        "from pathlib import Path; Path('a').read_bytes()",
        "path.open()",
        "path.open('rb')",
        "path.open(mode='r')",
        "path.open(encoding='utf-8')",
    ],
)
def test_each_raw_way_is_seen(line: str) -> None:
    assert raw_reads(ast.parse(line)), line


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        '{"a": ' * 5000 + "1" + "}" * 5000,
        "9" * (MOST_DIGITS + 1),
        "9" * 5000,
        "-1e400",
        "NaN",
        "Infinity",
        '{"a"',
        b"\xff",
    ],
    ids=lambda text: str(text[:12]),
)
def test_json_that_no_program_can_bear_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"expected|decode"):
        read_json(text)


def test_json_within_the_bounds_is_read() -> None:
    nested = "[" * DEEPEST + "1" + "]" * DEEPEST
    assert str(read_json(nested)) == nested
    assert read_json("9" * MOST_DIGITS) == int("9" * MOST_DIGITS)
    assert read_json('{"a": [1, 2.5, null, "x"]}') == {"a": [1, 2.5, None, "x"]}
