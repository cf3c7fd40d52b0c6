"""What `cogen dev` looks into programs with: stages, passes, steps, bisection."""
