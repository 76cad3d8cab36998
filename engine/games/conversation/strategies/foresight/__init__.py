"""The strategy that looks ahead."""
