"""What a function does and rests on, told by values and not by addresses."""
