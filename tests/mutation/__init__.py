"""Mutation testing: changes a module in small ways and asks whether its tests notice."""
