"""Code that tells where the first NaN or infinity was made, added behind Enzyme."""
