"""The games of OpenSpiel at our table: our engine asks, OpenSpiel rules."""
