"""What is suggested to whoever typed an unknown name."""

from protocol.suggest import did_you_mean


def test_a_suggestion_never_equals_what_was_typed() -> None:
    assert did_you_mean("seed", ["seed"]) == ""
    assert did_you_mean("seed", ["seed", "seeds"]) == " did you mean 'seeds'?"
