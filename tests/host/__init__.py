"""Enzyme in its process: installed, spoken to, and what is said when it fails."""
