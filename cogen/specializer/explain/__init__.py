"""What a specialization decided at each place of the program, and why."""
