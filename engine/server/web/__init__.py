"""What callers may do: their rights and limits, and how requests are refused."""
