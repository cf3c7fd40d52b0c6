"""The compiler generator: a program and a division -> a generating extension."""
