"""Tables, charts and CSV as plain values, which games hand to any view."""
