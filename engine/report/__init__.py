"""Tables, charts and CSV as plain values, which games create and any view can show."""
