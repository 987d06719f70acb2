"""What passes ask about a module as a whole: its requests, its names. And calls that nothing sees through."""
