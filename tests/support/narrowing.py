"""Values of a type that a test expects; any other value fails the test."""

from typing import TypeVar

T = TypeVar("T")


def not_none(value: T | None) -> T:
    assert value is not None
    return value


def instance(value: object, kind: type[T]) -> T:
    assert isinstance(value, kind), value
    return value
