"""Templates of texts as native code: one pass over the records, one buffer.

    @cogen.templates.template
    def page(title, files):
        rows = files.map(lambda file: f"<li>{file.name} ({file.size:d})</li>")
        return f"<h1>{title}</h1><ul>{rows}</ul>"

    page(title="files", files={"name": names, "size": sizes})      # a str

docs/templates.md tells what a template may do.
"""

from cogen.templates.template import Template as Template
from cogen.templates.template import raw as raw
from cogen.templates.template import template as template

__all__ = ["Template", "raw", "template"]
