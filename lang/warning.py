"""The warning of Python's that the product gives."""

from __future__ import annotations


class CogenWarning(RuntimeWarning):
    """Something that is done in another way than usual, which the user can mend.  By Python's
    `warnings`; the command line prints it as it prints other warnings."""
