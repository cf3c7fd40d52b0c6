"""Array programs whose arrays lie in pieces on many machines."""
