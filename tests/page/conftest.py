"""Tests of the page have a browser."""

from tests.support.browser import browser

__all__ = ["browser"]
