"""The libraries of the language that have SRFI names, in all ways of running them."""
