"""What a talk writes into its log, and what is read from it: reports, pictures, numbers."""
