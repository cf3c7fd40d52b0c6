"""What is known where: residual programs side by side with their sources, linked."""
