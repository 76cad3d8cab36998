"""The one place that reads templates and data files: sandboxed, strict, and fingerprinted."""

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

PROMPTS = Path(__file__).parent.parent / "prompts"
SMALL = "small"


@cache
def environment() -> "ImmutableSandboxedEnvironment":
    """Return the environment of all prompts; only the filter `json` escapes."""
    # A command that shows a log needs no template, and answers sooner without these imports.
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    rendering = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(PROMPTS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    rendering.filters["json"] = compact_json
    return rendering


def render(template: str, *, small: bool = False, **values: Any) -> str:
    """Return `prompts/<template>` filled with `values`; UndefinedError names a missing value.

    A small seat reads `prompts/small/<template>` where there is one.
    """
    names = [f"{SMALL}/{template}", template] if small else [template]
    return environment().select_template(names).render(**values)


def compact_json(value: Any) -> str:
    r"""Return `value` as JSON on one line, readable in every language: the form of players' words.

    A "<" is written as JSON's own \u003c: a server may read the tags by which a model's format
    tells roles apart (<|im_start|>, </s>, <think>) out of any text, so no prompt contains one.
    """
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


@cache
def template_hashes(*folders: str) -> Mapping[str, str]:
    """Return the fingerprint of every template in the named folders of `prompts/`, by path.

    Those for small seats, in the folders of these names in `prompts/small/`, are among them.
    Templates are read once: a process renders all its games from what it found first.
    """
    paths: list[Path] = []
    for folder in folders:
        paths += (PROMPTS / folder).glob("*.j2")
        paths += (PROMPTS / SMALL / folder).glob("*.j2")
    hashes: dict[str, str] = {}
    for path in sorted(paths):
        name = path.relative_to(PROMPTS).as_posix()
        hashes[name] = sha256(path.read_bytes()).hexdigest()[:16]
    return hashes


@cache
def read_data(path: Path) -> Any:
    """Return what the data file `path` holds: JSON where its name ends so, else YAML.

    A process reads each file once, so every caller gets the same object and must not change it.
    ValueError names a file that is missing or broken, and the place in it.
    """
    # A command that needs no data answers sooner without this import.
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(
            f"expected a data file that comes with the program: {path} cannot be read: {reason}; "
            f"get it back with: git checkout -- {path}"
        ) from None
