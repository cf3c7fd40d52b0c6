"""What became of array programs, told: the fusion report, and pictures of data flow."""
