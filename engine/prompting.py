"""The only module that reads templates (sandboxed, strict, fingerprinted) and data files."""

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import own_folder

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

PROMPTS = own_folder("prompts")
# Readers with their own templates, in folders of these names: small models and people.
SMALL = "small"
PEOPLE = "people"
READERS = (SMALL, PEOPLE)
MOST_WORDINGS = 9


def prompts_of(wording: int) -> Path:
    """Return the folder of a wording's templates; only wording 1 has more than the games' rules."""
    return PROMPTS if wording == 1 else PROMPTS / "wordings" / str(wording)


def wordings_of(*templates: str) -> tuple[int, ...]:
    """Return the wordings that have all these templates, in order; wording 1 is always included."""
    numbers = [int(path.name) for path in (PROMPTS / "wordings").glob(f"[2-{MOST_WORDINGS}]")]
    whole = [n for n in numbers if all((prompts_of(n) / name).is_file() for name in templates)]
    return 1, *sorted(whole)


@cache
def environment(reader: str = "", wording: int = 1) -> "ImmutableSandboxedEnvironment":
    """Return the template environment of a wording; only the filter `json` escapes text.

    For people, that filter writes plain text instead of JSON.
    """
    # A command that shows a log needs no template and responds faster without these imports.
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    folder = prompts_of(wording)
    rendering = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader([folder / reader, folder]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    rendering.filters["json"] = plain_words if reader == PEOPLE else compact_json
    return rendering


def render(template: str, *, reader: str = "", wording: int = 1, **values: Any) -> str:
    """Return `prompts/<template>` filled with `values`; raise UndefinedError if one is missing.

    For a `reader` in READERS, `prompts/<reader>/<template>` takes precedence if it exists. For a
    `wording` other than 1, templates come only from that wording's folder.
    """
    compiled = environment(reader, wording).get_template(template)
    # Each rendering copies the globals; from jinja2's ChainMap that takes six times longer.
    compiled.globals = dict(compiled.globals)
    return compiled.render(values)


def plain_words(value: Any) -> str:
    """Return plain data as text for a person: facts as sentences, strings in quotes.

    >>> plain_words({"turn": 3, "times_spoken": {"Ada": 1, "Ben": 0}, "eliminated": []})
    'Turn: 3. Times spoken: Ada 1, Ben 0. Eliminated: none.'
    """
    if isinstance(value, str):
        return f"\u201c{value}\u201d"
    if not isinstance(value, Mapping):
        return _listed(value)
    facts = []
    for name, fact in value.items():
        label = str(name).replace("_", " ")
        facts.append(f"{label[:1].upper()}{label[1:]}: {_listed(fact)}.")
    return " ".join(facts)


def _listed(fact: Any) -> str:
    """Return a fact for use in a sentence: names and numbers separated by commas."""
    if isinstance(fact, Mapping):
        return ", ".join(f"{name} {_listed(values)}" for name, values in fact.items()) or "none"
    if isinstance(fact, list | tuple):
        return ", ".join(map(_listed, fact)) or "none"
    if fact is None:
        return "none"
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return f"{fact:g}" if isinstance(fact, float) else str(fact)


def compact_json(value: Any, *, spaced: bool = True) -> str:
    r"""Return `value` as one line of JSON in which non-ASCII characters are not escaped.

    Each "<" is written as the JSON escape \u003c, because a server may interpret tags that separate
    roles in a model's format (<|im_start|>, </s>, <think>) anywhere in a prompt.
    """
    separators = None if spaced else (",", ":")
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return text.replace("<", "\\u003c")


@cache
def template_hashes(*folders: str, wording: int = 1) -> Mapping[str, str]:
    """Return the fingerprints of all templates in the named folders of a wording, sorted by path.

    These include the READERS' own templates, in the same folders under `<reader>/`. Each process
    reads a template once and uses that version for all its games.
    """
    paths: list[Path] = []
    for folder in folders:
        for part in ("", *READERS):
            paths += (prompts_of(wording) / part / folder).glob("*.j2")
    return {
        path.relative_to(PROMPTS).as_posix(): sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted(paths)
    }


@cache
def read_data(path: Path) -> Any:
    """Return the content of the data file `path`, parsed as JSON if it ends in .json, else as YAML.

    Each process reads a file once and returns the same object to all callers, which must not change
    it. Raises ValueError, with the position of any error, if the file is missing or invalid.
    """
    try:
        return _parsed(path.read_text(encoding="utf-8"), path.suffix)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(
            f"expected a data file that comes with the program: {path} cannot be read: {reason}; "
            f"get it back with: git checkout -- {path}"
        ) from None


def _parsed(text: str, suffix: str) -> Any:
    """Return the data in `text`, parsed as JSON if `suffix` is .json, else as YAML."""
    if suffix == ".json":
        return json.loads(text)
    # Strategies in other simulators read only JSON, since YAML may not be installed there.
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
