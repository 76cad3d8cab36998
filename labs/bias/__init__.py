"""What may have moved places and votes beside skill: measured from what a tournament left."""
