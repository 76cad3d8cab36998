"""Tables, charts and CSV as plain values, which games pass to any view."""
