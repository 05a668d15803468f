"""What mkdocs needs to show our pages: docstrings as Markdown, and no links out of the site."""

import posixpath
import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:func|class|meth|mod|attr):`~?([^`]*)`")
_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*(?:\n\s*\n>>> .*(?:\n(?!\s*$).+)*)*", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)\s]+)\)")


class Docstrings(griffe.Extension):
    """Turns roles, such as :func:`tenor.load`, into code, and examples into blocks of it."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called with every module, class, function and attribute that is read."""
        if obj.docstring is not None:
            text = _ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = _EXAMPLE.sub(lambda match: f"```python\n{match[0]}\n```", text)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Called by mkdocs: leave the text of links to files of the repository that are no pages."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(match: re.Match[str]) -> str:
        outside = posixpath.normpath(posixpath.join(folder, match[2])).startswith("..")
        return match[1] if outside else match[0]

    return _LINK.sub(kept, markdown)
