"""The strategy `foresight`, which looks ahead."""
