"""A talk's log entries, and the reports, pictures and numbers read from them."""
