"""Makes PDFs for tests from objects and pages of text."""


def text_of(string):
    return "(" + string.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") + ")"


def lines(*rows, size=12):
    """Draws lines of text: (x, y, text) or (x, y, text, size), y from the bottom."""
    drawn = []
    for x, y, text, *own in rows:
        drawn.append(f"BT /F1 {own[0] if own else size} Tf 1 0 0 1 {x} {y} Tm {text_of(text)} Tj ET")
    return "\n".join(drawn)


def uri(area, url):
    """Makes a link on an area (left, bottom, right, top)."""
    return ("<< /Type /Annot /Subtype /Link /Rect [%d %d %d %d] /A << /S /URI /URI %s >> >>" % (*area, text_of(url)))


def pdf(pages, info="", catalog="", xmp=None, font="/Subtype /Type1 /BaseFont /Helvetica", extra=()):
    """Makes a PDF. pages: (content, [annotation...]) each. info, catalog: additions to these dictionaries. extra:
    objects from 7 on."""
    first = 7 + len(extra)
    kids = [first + 2 * i for i in range(len(pages))]
    catalog += " /Metadata 5 0 R" if xmp else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>",
        f"<< /Type /Font /Encoding /WinAnsiEncoding {font} >>",
        f"<< {info} >>",
        stream(xmp or "", "/Type /Metadata /Subtype /XML"),
        "null",
        *extra,
    ]
    for kid, (content, annotations) in zip(kids, pages):
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {kid + 1} 0 R "
                       f"/Resources << /Font << /F1 3 0 R >> >> /Annots [{' '.join(annotations)}] >>")
        objects.append(stream(content))
    return _file(objects)


def stream(content, more=""):
    return f"<< /Length {len(content.encode('latin-1'))} {more} >>\nstream\n{content}\nendstream"


def _file(objects):
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    for place in places:
        out += f"{place:010d} 00000 n \n".encode()
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
