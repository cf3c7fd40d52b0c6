"""A language of one's own, to begin with: `cogen new-language` writes the folder `template`."""
