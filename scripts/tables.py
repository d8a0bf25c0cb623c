"""Reads tables of Markdown, for the checks that compare the code with docs/internals/architecture.md.

A table is identified by its head. A fault in a table ends the program with a message that names file and line.
"""
import re
import sys

DOCUMENT = "docs/internals/architecture.md"


class Row:
    """A row of a table: its cells by the words of the head, and its place for messages."""

    def __init__(self, place, cells):
        self.place = place
        self.cells = cells

    def __getitem__(self, word):
        return self.cells[word]

    def code(self, word):
        """Returns the words of a cell that are between backquotes."""
        return re.findall(r"`([^`]*)`", self.cells[word])

    def folders(self, word):
        """Returns the folders that a cell names, each written as `folder/`; there must be at least one."""
        found = self.code(word)
        for folder in found:
            if not folder.endswith("/"):
                fail(self.place, f"`{folder}` is to be written as a folder, with a slash at its end")
        if not found:
            fail(self.place, f"the cell '{word}' names no folder")
        return found

    def items(self, word):
        """Returns the words of a cell, separated by commas or semicolons, without backquotes."""
        return [item.strip().strip("`") for item in re.split(r"[,;]", self.cells[word]) if item.strip()]


def fail(place, message):
    sys.exit(f"{place}: {message}")


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read(text, head, name=DOCUMENT):
    """Returns the rows of the table with this head, a list of words. There must be exactly one such table, with at
    least one row."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith("|") and cells_of(line) == head]
    wanted = "| " + " | ".join(head) + " |"
    if len(starts) != 1:
        fail(name, f"{len(starts)} tables with the head '{wanted}', one is needed")
    rows = []
    for at in range(starts[0] + 1, len(lines)):
        if not lines[at].startswith("|"):
            break
        cells = cells_of(lines[at])
        if len(cells) != len(head):
            fail(f"{name}:{at + 1}", f"{len(cells)} cells in a row of '{wanted}'")
        if at == starts[0] + 1:
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                fail(f"{name}:{at + 1}", "the line of dashes below the head is missing")
            continue
        rows.append(Row(f"{name}:{at + 1}", dict(zip(head, cells))))
    if not rows:
        fail(f"{name}:{starts[0] + 1}", f"the table '{wanted}' has no row")
    return rows
