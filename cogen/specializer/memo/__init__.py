"""How a state that arrives at a memo point is compared, generalised and carried on."""
