"""Describe the form of an answer in words, for endpoints that take no JSON Schema."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from providers import CompletionRequest


def in_words(request: CompletionRequest) -> CompletionRequest:
    """Return `request` with its schema described in words at the end."""
    if request.schema is None:
        return request
    *before, last = request.messages
    *parts, end = last.parts
    asked = replace(last, parts=(*parts, end + words_for(request.schema)))
    return replace(request, messages=(*before, asked), schema=None)


def words_for(schema: Mapping[str, Any]) -> str:
    """Return a paragraph on the answer's form; no JSON in it could be mistaken for the answer."""
    fields = schema["properties"].items()
    listed = ", ".join(f'"{name}" ({field_in_words(field)})' for name, field in fields)
    return f"\n\nAnswer with one JSON object and nothing else. Its fields: {listed}."


def field_in_words(field: Mapping[str, Any]) -> str:
    """Return the purpose and the allowed values of a field of a JSON Schema."""
    values = _values_in_words(field)
    if "description" in field:
        return f"{field['description']}: {values}"
    return values


def _values_in_words(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        options = [json.dumps(value, ensure_ascii=False) for value in field["enum"]]
        return f"one of {', '.join(options)}"
    if field.get("type") == "string":
        if "maxLength" in field:
            return f"text of at most {field['maxLength']} characters"
        return "text"
    rules = [f"{name} {value}" for name, value in field.items() if name != "description"]
    return ", ".join(rules)
