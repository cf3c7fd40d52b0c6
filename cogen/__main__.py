"""`python -m cogen` is the command `cogen`."""

import sys

from cogen.cli import main

if __name__ == "__main__":
    sys.exit(main())
