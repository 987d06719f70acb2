"""Passes that change nothing: they refuse what Enzyme would get wrong."""
