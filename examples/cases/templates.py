"""A listing of files as HTML: a template of nested lists and strings becomes one loop.

    python examples/cases/templates.py [FOLDER]

Prints the listing of a folder's files, then the residual program of the template.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cogen import templates


def boxed(content, levels):
    """Content in nested boxes: ordinary Python, which runs while the template is made."""
    for level in range(levels):
        content = [f'<div class="level{level}">', content, "</div>"]
    return content


@templates.template
def listing(title, files):
    rows = files.map(lambda file: f"<li><b>{file.name}</b> {file.size:d} bytes</li>\n")
    return ["<h1>" + title + "</h1>\n", boxed(["<ul>", rows, "</ul>\n"], 3)]


def main(folder: str = ".") -> None:
    """List a folder."""
    found = sorted(path for path in Path(folder).iterdir() if path.is_file())
    files = {"name": [path.name for path in found], "size": [path.stat().st_size for path in found]}
    print(listing(title=folder, files=files))
    print(listing.residual.scheme)


if __name__ == "__main__":
    main(*sys.argv[1:2])
