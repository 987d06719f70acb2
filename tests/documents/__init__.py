"""What is written runs: examples, messages, pictures, and the site that is made of the pages."""
