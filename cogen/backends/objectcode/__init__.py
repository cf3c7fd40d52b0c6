"""What C is compiled with, where what it came to is kept, how it is called and shown."""
