"""Array programs as loops over memory: between the schedule and the text of C and OpenCL."""
