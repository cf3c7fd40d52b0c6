"""What versions there are of a program point, and what they may cost."""
