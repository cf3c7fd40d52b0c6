"""The case studies of `cogen bench cases`, a module each, with its list `CASES`."""
