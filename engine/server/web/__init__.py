"""The rights and limits of callers, and how requests are refused."""
