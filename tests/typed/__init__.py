"""The types of public names, as type checkers see them."""
