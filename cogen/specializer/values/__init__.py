"""What is known of values: the symbolic domain, states and their keys."""
