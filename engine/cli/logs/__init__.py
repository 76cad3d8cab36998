"""`logs.py`: review logged games, and write data sets from them."""
