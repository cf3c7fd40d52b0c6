"""What is found out once about a program, and code made ready for the machine."""
