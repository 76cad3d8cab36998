"""Command-line options for the fields of a Pydantic model, with descriptions and defaults."""

from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Iterator
from enum import Enum
from textwrap import shorten
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from engine.cli.parser import flag_of
from engine.record.yaml import read_yaml

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

LONGEST_DEFAULT = 60
METAVARS = {
    bool: "true",
    int: "N",
    float: "X",
    str: "TEXT",
    tuple: "LIST",
    list: "LIST",
    dict: "MAPPING",
}


def add_settings(group: Any, model: "type[BaseModel]") -> None:
    """Add an option to `group` for each described field of `model` that has no option there yet."""
    for name, field in model.model_fields.items():
        if field.description is not None and flag_of(name) not in group._option_string_actions:
            add_setting(group, name, field)


def add_setting(group: Any, name: str, field: "FieldInfo") -> None:
    """Add the option for one field; its default is None."""
    if field.annotation is bool:
        group.add_argument(
            flag_of(name),
            action=BooleanOptionalAction,
            default=None,
            help=help_of(field),
        )
        return
    # If a field can be true, its option may appear without a value.
    bare: dict[str, Any] = {}
    if bool in alternatives(input_of(field)):
        bare = {"nargs": "?", "const": True}
    group.add_argument(
        flag_of(name),
        # Text stays as typed: "AI: friend or foe?" is not a mapping.
        type=str if field.annotation is str else read_value,
        metavar=metavar_of(field),
        help=help_of(field),
        **bare,
    )


def read_value(text: str) -> Any:
    """Return the YAML value of `text`, such as a number or a list; keep invalid YAML as it is."""
    from yaml import YAMLError

    try:
        return read_yaml(text)
    except YAMLError:
        return text
    except ValueError as error:
        raise ArgumentTypeError(f"expected a value of a setting: {error}") from None


def help_of(field: "FieldInfo") -> str:
    """Return a field's help: its description, range, default, and the choices in its lists."""
    parts = [field.description or "", *range_of(field)]
    inner = [*inner_choices(input_of(field))]
    if inner:
        parts.append(f"of {', '.join(inner)}")
    default = default_in_words(field.get_default(call_default_factory=True))
    text = "; ".join(parts)
    if default:
        text += f" (default: {shorten(default, LONGEST_DEFAULT, placeholder=' ...')})"
    return text.replace("%", "%%")


def range_of(field: "FieldInfo") -> list[str]:
    """Return an integer field's range as text, or [] for a field without a range."""
    bounds: dict[str, int] = {}
    for bound in field.metadata:
        for side in ("ge", "le"):
            value = getattr(bound, side, None)
            if isinstance(value, int):
                bounds[side] = value
    if "le" not in bounds or int not in alternatives(field.annotation):
        return []
    least = f"{bounds['ge']} to " if "ge" in bounds else "at most "
    return [f"{least}{bounds['le']}"]


def metavar_of(field: "FieldInfo") -> str:
    """Return the placeholder for a setting's value, such as N or TEXT, or its choices as a|b."""
    kinds: list[str] = []
    for part in alternatives(input_of(field)):
        kinds += choices_of(part) or [METAVARS.get(get_origin(part) or part, "VALUE")]
    limits = {getattr(bound, "le", None) for bound in field.metadata}
    if kinds == ["X"] and 1 in limits:
        return "FRACTION"
    return "|".join(dict.fromkeys(kinds))


def input_of(field: "FieldInfo") -> Any:
    """Return the input type of a field: the one a validator declares, or else the field's type."""
    for validator in field.metadata:
        declared = getattr(validator, "json_schema_input_type", None)
        if isinstance(declared, type | UnionType) or get_origin(declared) is not None:
            return declared
    return field.annotation


def alternatives(annotation: Any) -> Iterator[Any]:
    """Yield the types of a union except None, or the type itself if it is not a union."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from alternatives(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from alternatives(part)
    elif annotation is not NoneType:
        yield annotation


def choices_of(annotation: Any) -> list[str]:
    """Return the values of a Literal or an Enum as a user types them, or [] for other types."""
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(member.value) for member in annotation]
    return []


def inner_choices(annotation: Any) -> Iterator[str]:
    """Yield the choices in a type's lists and mappings, each once; omit the type's own choices."""
    names: list[str] = []
    inner: list[str] = []
    for part in alternatives(annotation):
        choices = choices_of(part)
        names += choices
        if not choices:
            for held in get_args(part):
                inner += [*choices_of(held), *inner_choices(held)]
    for choice in dict.fromkeys(inner):
        if choice not in names:
            yield choice


def default_in_words(value: object) -> str:
    """Return a default value as a user would type it; "" if there is none.

    >>> default_in_words((0.0, 0.25)), default_in_words({1: ("pitches", "votes")})
    ('0, 0.25', '{1: [pitches, votes]}')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        parts = [f"{name}: {_held_in_words(held)}" for name, held in value.items()]
        return f"{{{', '.join(parts)}}}" if parts else ""
    if isinstance(value, tuple | list):
        separator = "/" if hasattr(value, "_fields") else ", "
        return separator.join(map(default_in_words, value))
    return str(value)


def _held_in_words(value: object) -> str:
    words = default_in_words(value)
    # A nested list keeps its brackets.
    return f"[{words}]" if isinstance(value, tuple | list) else words
