"""Headroom inside of training libraries: a prediction before the first step, and what was measured after two."""
