"""Versions that grow from one to the next, and what of them is made dynamic."""
