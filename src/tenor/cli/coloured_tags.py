"""Tagged texts for a terminal: each type of entity, or each plain tag, has a colour of its own."""

from typing import TYPE_CHECKING

from rich.text import Text

from tenor.report.visible import visible

if TYPE_CHECKING:
    from tenor.model.tagging import Tagged

_COLOURS = (
    "black on bright_cyan", "black on bright_yellow", "black on bright_green", "black on bright_magenta",
    "white on blue", "white on red", "black on white", "white on magenta",
)  # fmt: skip


def coloured_text(one: "Tagged", legend: dict[str, str]) -> Text:
    """Return a text with its entities in the colours of ``legend``, which new types are added to."""
    spans = [(each.begin, each.end, each.type) for each in one.entities]
    if not one.spans:
        spans = [(begin, end, tag) for (begin, end), tag in zip(one.offsets, one.tags, strict=True)]
    shown, at = Text(), 0
    for begin, end, kind in spans:
        style = legend.setdefault(kind, _COLOURS[len(legend) % len(_COLOURS)])
        shown.append(visible(one.text[at:begin]))
        shown.append(visible(one.text[begin:end]), style=style)
        shown.append(f"[{visible(kind)}]", style="dim")
        at = end
    shown.append(visible(one.text[at:]))
    return shown


def legend_line(legend: dict[str, str]) -> Text:
    """Return the types in their colours."""
    line = Text()
    for kind, style in legend.items():
        line.append(f" {visible(kind)} ", style=style)
        line.append(" ")
    return line
