"""Read untrusted YAML into plain data, within limits."""

from typing import Any

from protocol.text import compose

LONGEST = 200_000
DEEPEST = 50
MOST_PARTS = 100_000


def read_yaml(text: str) -> Any:
    """Return the value of the YAML `text`; raise ValueError for content that no game can use.

    Accented letters are composed, so a name has only one spelling. An alias counts as much as the
    value it repeats, so a few lines cannot exhaust memory. Raises yaml.YAMLError for invalid YAML.
    """
    # A command that reads no YAML starts faster without this import.
    import yaml

    text = compose(text)
    if len(text) > LONGEST:
        raise ValueError(f"it has more than {LONGEST} characters")
    _check_parts(yaml.parse(text, Loader=yaml.SafeLoader))
    _check_keys(yaml.compose(text, Loader=yaml.SafeLoader))
    try:
        return yaml.safe_load(text)
    except (OverflowError, ValueError):
        raise ValueError("it contains an invalid number or date") from None


def _check_parts(events: Any) -> None:
    """Raise ValueError if a YAML text is nested too deeply, or expands to too many parts."""
    open_parts: list[tuple[str | None, int]] = []
    sizes: dict[str, int] = {}
    parts = 0
    for event in events:
        kind = type(event).__name__
        if kind == "AliasEvent":
            parts += sizes.get(event.anchor, MOST_PARTS)
        elif kind == "ScalarEvent":
            parts += 1
            sizes[event.anchor] = 1
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            open_parts.append((event.anchor, parts))
            # A value may not contain an alias of itself.
            sizes.pop(event.anchor, None)
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            anchor, before = open_parts.pop()
            parts += 1
            sizes[anchor or ""] = parts - before
        if len(open_parts) > DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} deep")
        if parts > MOST_PARTS:
            raise ValueError(f"it expands to more than {MOST_PARTS} parts, or contains itself")


def _check_keys(root: Any) -> None:
    """Raise ValueError if a mapping has a key twice, since the first value would be lost."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        kind = type(node).__name__
        if kind == "SequenceNode":
            waiting += node.value
        if kind != "MappingNode":
            continue
        seen = set()
        for key, value in node.value:
            waiting.append(value)
            name = str(key.value)
            if name in seen:
                line = key.start_mark.line + 1
                raise ValueError(f"line {line} has {name!r} twice; keep one of them")
            seen.add(name)
