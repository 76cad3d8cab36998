"""Tests of the page have a browser."""

from tests.support.web.browser import browser

__all__ = ["browser"]
