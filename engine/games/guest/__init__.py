"""GuestEnv: three agents talk, and a Guest who must not take part evens out who is heard."""
