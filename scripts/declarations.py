"""Reads the declarations at the outermost level of C files, by their shape and without a compiler, for the checks here.

It handles the C of this tree: comments, strings and preprocessor lines are removed first, the contents of braces are
kept apart, and the rest is one declaration or definition after another.
"""
import re

COMMENT_OR_LITERAL = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
GUARD = re.compile(r"\s*#[ \t]*ifndef[ \t]+(\w+)\s*\n[ \t]*#[ \t]*define[ \t]+\1[ \t]*\n")
SPECIFIER = r"(?:struct|union|enum)"
NO_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "_Static_assert", "static_assert", "__attribute__",
            "_Alignas", "alignas"}


class Declaration:
    """A declaration. kind: function, type, tag, variable, macro, or guard, the macro that keeps a header from being
    read twice. line: start of its text. is_defined: it has a body, or a type's definition. lines: length of the
    text."""

    def __init__(self, kind, name, line, is_static=False, is_defined=False, lines=0):
        self.kind, self.name, self.line = kind, name, line
        self.is_static, self.is_defined, self.lines = is_static, is_defined, lines


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def without_comments(text):
    """Returns the text with comments blanked, and strings and characters emptied; line numbers stay the same."""
    def replace(match):
        found = match.group()
        return blank(match) if found.startswith("/") else found[0] + " " * (len(found) - 2) + found[-1]
    return COMMENT_OR_LITERAL.sub(replace, text)


def code_of(text):
    """Returns the text without comments, contents of strings, and preprocessor lines."""
    return DIRECTIVE.sub(blank, without_comments(text))


def statements(code):
    """Yields each declaration at the outermost level: its start, its text with {} for each body, and its end."""
    depth, begin, after, head = 0, None, 0, ""
    for mark in re.finditer(r"[{};]", code):
        at = mark.start()
        if depth == 0:
            between = code[after:at]
            if begin is None and between.strip():
                begin, head = after + len(between) - len(between.lstrip()), ""
            head += between.lstrip() if not head else between
        after = at + 1
        if mark[0] == "{":
            depth += 1
            head += "{" if depth == 1 else ""
        elif mark[0] == "}":
            depth = max(depth - 1, 0)
            head += "}" if depth == 0 else ""
        ends = mark[0] == ";" or (mark[0] == "}" and "{" in head and is_function_head(head))
        if depth == 0 and ends:
            if begin is not None:
                yield begin, head, at
            begin, head = None, ""


def is_function_head(head):
    before = head[:head.index("{")].rstrip()
    return before.endswith(")") and "=" not in before and not before.startswith("typedef")


def function_name(head):
    """Returns the name before the first parenthesis that follows a name other than a keyword."""
    for match in re.finditer(r"(\w+)\s*\(", head):
        if match[1] not in NO_NAMES and not re.fullmatch(r"[A-Z0-9_]+", match[1]):
            return match[1]
    return None


def declared(head):
    """Returns the kinds and names that a declaration declares."""
    tag = re.match(rf"(?:typedef\s+|static\s+|const\s+)*{SPECIFIER}\s+(\w+)\s*\{{", head)
    if tag:
        yield "tag", tag[1]
    if head.startswith("typedef"):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", head)
        last = re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)*$", head)
        if pointer or last:
            yield "type", (pointer or last)[1]
        return
    if tag or re.match(rf"{SPECIFIER}\b[^(]*$", head):
        return
    if "(" in head.split("=")[0].split("{")[0]:
        name = function_name(head)
        if name:
            yield "function", name
    elif head.startswith("extern"):
        last = re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)*$", head)
        if last:
            yield "variable", last[1]


def is_definition(kind, head):
    """Returns True for a body, or a typedef that defines its name. `typedef struct x x` alone does not."""
    return not re.fullmatch(rf"typedef\s+{SPECIFIER}\s+\w+\s+\w+\s*", head) if kind == "type" else "{" in head


def read(text):
    """Returns the declarations of a C file in their order, macros first."""
    plain = without_comments(text)
    guard = GUARD.match(plain)
    found = [Declaration("guard" if guard and guard[1] == match[1] else "macro", match[1],
                         plain.count("\n", 0, match.start()) + 1)
             for match in MACRO.finditer(plain)]
    code = DIRECTIVE.sub(blank, plain)
    for begin, head, end in statements(re.sub(r'extern\s*"[^"]*"\s*\{', lambda m: " " * len(m[0]), code)):
        for kind, name in declared(head):
            found.append(Declaration(kind, name, code.count("\n", 0, begin) + 1, head.startswith("static"),
                                     is_definition(kind, head),
                                     code.count("\n", begin, end) + 1))
    return found
