"""Rules of users, and code of other languages."""
