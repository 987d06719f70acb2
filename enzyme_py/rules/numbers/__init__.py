"""Functions of numbers that Enzyme knows, with bodies in their place where its rules are wrong or lose: a row each."""
