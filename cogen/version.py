"""The version of this package, which extensions are made by."""

__version__ = "0.1.0"
