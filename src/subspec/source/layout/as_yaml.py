"""The lines of a document of YAML."""

from subspec.source.compare import MISSING
from subspec.source.emit import Layout, YamlWriter, block_body, block_header
from subspec.source.layout.comments import words_start
from subspec.source.layout.outline import Entry, Outline, resolved
from subspec.source.tree import Alias, Collection, Node

STEP = 2
WIDTH = 88
# What is longer is no simple key, for which readers look on one line only.
_LONGEST_KEY = 120


class YamlLines:
    """Writes entries as lines of YAML."""

    def __init__(self, text: str, layout: Layout) -> None:
        self.text = text
        self.layout = layout
        self.writer = YamlWriter(layout)
        self.lines: list[str] = []
        # Whether a blank line may not come next: at the top, behind the key of a block, and
        # behind a text that keeps all blank lines behind it.
        self.packed = True

    def of(self, outline: Outline) -> list[str]:
        """Give the lines of a document."""
        root = outline.root
        self.settle(root, -STEP)
        self.remarks(self.above(root), 0)
        self.write("", root, -STEP)
        self.remarks(outline.tail, 0)
        return self.lines

    # What has to be known before a line is written.

    def settle(self, entry: Entry, indent: int) -> None:
        """Decide how keys are written, and which lists stand in brackets.

        The root has no head that it could be indented behind: it is taken for one level further
        out than its entries, which makes them begin at the margin.
        """
        if entry.key is not None:
            entry.label = self.label(entry, entry.key)
        for child in entry.entries:
            self.settle(child, indent + STEP)
        if entry.is_a("list"):
            label = entry.label if len(entry.label) <= _LONGEST_KEY else ""
            room = WIDTH if indent < 0 else WIDTH - indent - len(label) - len(": ")
            entry.brackets = self.brackets(entry, room)

    def label(self, entry: Entry, key: Node) -> str:
        """Write a key."""
        if isinstance(key, Collection):
            return self.text[key.start : key.end]
        written = self.text[words_start(key) : key.end]
        if isinstance(key, Alias):
            # A colon could belong to its name.
            return f"{written} "
        is_text = entry.name == key.value and isinstance(resolved(written), str)
        if key.style or (is_text and entry.is_known):
            written = self.writer.string(entry.name)
        return _joined(entry.key_prefix, written)

    def brackets(self, entry: Entry, room: int) -> str | None:
        """Write a list in brackets; None where it does not fit, or is more than a few words."""
        if not entry.entries or entry.holds_comments() or not all(map(self.is_word, entry.entries)):
            return None
        words = ", ".join(self.on_one_line(child, flow=True) for child in entry.entries)
        written = _joined(entry.prefix, f"[{words}]")
        return written if len(written) <= room else None

    def is_word(self, entry: Entry) -> bool:
        """Tell whether a value can stand in brackets with others."""
        return (
            not isinstance(entry.value, Collection)
            and "!" not in entry.prefix
            and not self.is_block(entry)
        )

    def is_block(self, entry: Entry, *, root: bool = False) -> bool:
        """Tell whether a value becomes a block of text."""
        force = entry.key is not None and entry.name in self.layout.block_keys
        return isinstance(entry.data, str) and self.writer.goes_to_block(
            entry.data, force=force, root=root
        )

    def above(self, entry: Entry) -> list[str]:
        """Give all that stands above the line on which an entry begins."""
        if not entry.is_compact:
            return entry.above
        inside = filter(None, (entry.behind, *entry.opening))
        return [*entry.above, *inside, *self.above(entry.entries[0])]

    # Lines.

    def line(self, text: str, behind: str = "") -> None:
        """Write a line, with the comment on it."""
        self.lines.append(f"{text}  {behind}" if behind else text)
        self.packed = False

    def remarks(self, lines: list[str], indent: int) -> None:
        """Write comments and blank lines."""
        for line in lines:
            if line:
                self.line(" " * indent + line)
                # No blank line follows what begins or ends a document.
                self.packed = line[0] != "#"
            elif self.lines and self.lines[-1] and not self.packed:
                self.lines.append("")

    def write(self, head: str, entry: Entry, indent: int) -> None:
        """Write a value; `head` is what stands before it on its line, at `indent` or further in."""
        inner = indent + STEP
        if entry.is_compact:
            self.entries(f"{head} " if head else "", entry, inner)
        elif entry.is_open:
            self.line(_joined(head, entry.prefix), entry.behind)
            self.packed = True
            self.remarks(entry.opening, inner)
            self.entries("", entry, inner)
        elif self.is_block(entry, root=not head):
            sign = _joined(entry.prefix, block_header(entry.data, STEP))
            self.line(_joined(head, sign), entry.behind)
            self.lines.extend(block_body(entry.data, " " * (inner or STEP)))
            self.packed = sign.endswith("+")
        else:
            written = entry.brackets or self.on_one_line(entry)
            self.line(_joined(head, written), entry.behind)

    def entries(self, lead: str, entry: Entry, indent: int) -> None:
        """Write the entries of a value; `lead` is what stands on the line of the first already."""
        is_first = entry.is_compact
        for child in entry.entries:
            if not is_first:
                self.remarks(self.above(child), indent)
            lead = lead or " " * indent
            if child.key is None:
                lead += "-"
            elif len(child.label) > _LONGEST_KEY:
                self.line(f"{lead}? {child.label}")
                lead = " " * indent + ":"
            else:
                lead += f"{child.label}:"
            self.write(lead, child, indent)
            lead, is_first = "", False
        self.remarks(entry.below, indent)

    def on_one_line(self, entry: Entry, *, flow: bool = False) -> str:
        """Write a value that is no container, or an empty one."""
        return _joined(entry.prefix, self.words(entry, flow=flow))

    def words(self, entry: Entry, *, flow: bool) -> str:
        """Write it without its anchor and its tag."""
        node, data = entry.value, entry.data
        if isinstance(node, Collection):
            return "{}" if node.kind == "mapping" else "[]"
        written = self.text[words_start(node) : node.end]
        is_number = isinstance(data, int | float) and not isinstance(data, bool)
        if data is MISSING or (is_number and written[0] not in "'\""):
            # How a number is spelt has its reasons.
            return written
        if "!" in entry.prefix and not written:
            return ""
        return self.writer.on_one_line(data, flow=flow)


def _joined(first: str, second: str) -> str:
    """Put a blank between two words, if there are two."""
    return f"{first} {second}" if first and second else first or second
