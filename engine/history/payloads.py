"""Event data: dataclasses written as plain data, read back, and published as JSON Schema."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import GetCoreSchemaHandler, TypeAdapter, ValidationError

from engine.history.log import Event, adapter, first_fault
from protocol.answer import Plain

P = TypeVar("P")


def payload_of(event: Event, form: type[P]) -> P:
    """Return the event's data as the dataclass `form`; raise ValueError if it does not fit.

    Since JSON has neither tuples nor numeric keys, a list is accepted as a tuple and digits as a
    numeric key. But a quoted number is not accepted as a number, nor is 1 as true. Keys that are
    missing from `form` are ignored, so that logs of later versions can be read.
    """
    reader = _form_adapter(form)  # type: ignore[arg-type]  # mypy doubts that a class has a hash
    try:
        payload: P = reader.validate_python(event.data)
    except ValidationError as error:
        raise ValueError(
            f"expected event {event.index} to hold the data of a {event.kind}: "
            f"{first_fault(error, 'data')}"
        ) from None
    return payload


def data_of(payload: object) -> Plain:
    """Return a payload dataclass as an event's plain data, with the fields in order.

    Fields that have their default value are left out. Tuples become lists, as in a log, and enum
    members become their values. Numbers are unchanged (a field that may hold 1 or 0.5 is declared
    `int | float`). Raises TypeError if a value has no plain form.
    """
    data: Plain = {}
    form: Any = type(payload)
    for name, default in _fields_of(form):
        value = getattr(payload, name)
        if default is not MISSING and value == default:
            continue
        # Most values are scalars, and a scripted game records thousands of events a second.
        data[name] = value if type(value) in _SCALARS else _plain(value)
    return data


_SCALARS = frozenset({str, int, float, bool, type(None)})


@cache
def _fields_of(form: type[Any]) -> tuple[tuple[str, Any], ...]:
    """Return each dataclass field's name and default; the default is MISSING if there is none."""
    named = []
    for field in fields(form):
        default = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        named.append((field.name, default))
    return tuple(named)


def _plain(value: Any) -> Any:
    """Return a value as it would be read back from JSON."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return data_of(value)
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, str | int | float):
        return value
    raise TypeError(f"expected plain data, or dataclasses and tuples of it: {value!r}")


def _key(key: object) -> str:
    """Return a key as a JSON string: 1 becomes "1"."""
    plain = _plain(key)
    return plain if isinstance(plain, str) else json.dumps(plain)


@cache
def _form_adapter(form: type[Any]) -> TypeAdapter[Any]:
    marked: Any = Annotated[form, _ExactScalars()]
    return TypeAdapter(marked)


class _ExactScalars:
    """Marks a form whose numbers and flags, unlike its tuples, are never converted."""

    def __get_pydantic_core_schema__(self, form: Any, handler: GetCoreSchemaHandler) -> Any:
        """Return the schema of `form`, in which every int, float and bool is strict."""
        schema = handler(form)
        self._tighten(schema, handler, set())
        return schema

    def _tighten(self, part: Any, handler: GetCoreSchemaHandler, done: set[int]) -> None:
        if isinstance(part, list):
            for item in part:
                self._tighten(item, handler, done)
        if not isinstance(part, dict) or id(part) in done:
            return
        done.add(id(part))

        if part.get("type") in ("int", "float", "bool"):
            part["strict"] = True
        elif part.get("type") == "definition-ref":
            self._tighten(handler.resolve_ref_schema(part), handler, done)
        for name, inner in part.items():
            if name not in ("keys_schema", "default", "metadata"):
                self._tighten(inner, handler, done)


def log_schema(payloads: Mapping[str, Mapping[str, type]]) -> Plain:
    """Return the JSON Schema of a log file, with a schema for each form in `payloads`."""
    log = ("", "log")
    forms: list[Any] = [(log, "validation", adapter())]
    for game, kinds in payloads.items():
        for kind, form in kinds.items():
            forms.append(((game, kind), "validation", _form_adapter(form)))
    references, shared = TypeAdapter.json_schemas(forms)

    by_game: Plain = {}
    for game, kinds in payloads.items():
        by_game[game] = {kind: references[(game, kind), "validation"] for kind in kinds}

    definitions: Plain = shared["$defs"]
    name = references[log, "validation"]["$ref"].removeprefix("#/$defs/")
    schema: Plain = definitions.pop(name)
    return schema | {"payloads": by_game, "$defs": definitions}
