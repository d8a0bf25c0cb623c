"""Used by the script pictures: crawls a site on loopback, and takes pictures of the terminal (SVG, from tmux), of the
live page and of a report (PNG, by Chromium).

    python3 scripts/pictures.py FOLDER-OF-CRAWL PORT EMPTY-FOLDER FOLDER-OF-PICTURES
"""
import base64
import html
import io
import os
import re
import subprocess
import sys
import time

from PIL import Image

from live_browser import LivePage

COLUMNS, ROWS = 96, 16
CELL_X, CELL_Y, EDGE = 8.4, 18, 14
# Colours by the SGR codes of ECMA-48 that the program writes.
COLOURS = {"31": "#f47067", "32": "#6bc46d", "33": "#daaa3f"}
MOST_BYTES = 120 * 1024
HOSTS = ("docs", "api", "wiki", "blog")
PATIENCE_S = 60


# ---- the terminal ----

def pieces_of(line, codes):
    """Yields (text, codes) of a line with escape sequences; codes are those in effect, which carry over to the next
    line."""
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b["):
            for code in part[2:-1].split(";"):
                if code in ("", "0"):
                    codes.clear()
                elif code == "39" or code in COLOURS:
                    codes -= {*COLOURS}
                codes |= {code} & {*COLOURS, "1", "2"}
        elif part:
            yield part, {*codes}


def text_of(column, row, text, codes):
    style = "".join([f' fill="{COLOURS[code]}"' for code in COLOURS if code in codes]
                    + [' font-weight="bold"'] * ("1" in codes) + [' opacity=".65"'] * ("2" in codes))
    return (f'<text x="{EDGE + column * CELL_X:.1f}" y="{EDGE + (row + 0.75) * CELL_Y:.1f}" '
            f'textLength="{len(text) * CELL_X:.1f}"{style}>'
            f"{html.escape(text, quote=False)}</text>")


def svg_of(screen):
    """Returns an SVG of the screen. Each piece has its length, so that columns align in any font."""
    lines = screen.rstrip("\n").split("\n")
    width, height = COLUMNS * CELL_X + 2 * EDGE, len(lines) * CELL_Y + 2 * EDGE
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
           f'height="{height:.0f}" role="img"'
           ' font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#d1d7e0">',
           "<title>A crawl on a terminal</title>", '<rect width="100%" height="100%" rx="8" fill="#212830"/>']
    held = set()
    for row, line in enumerate(lines):
        column = 0
        for text, codes in pieces_of(line, held):
            out += [text_of(column + words.start(), row, words[0], codes)
                    for words in re.finditer(r"\S+(?: \S+)*", text)]
            column += len(text)
    return "\n".join([*out, "</svg>", ""])


def tmux(work, *args):
    return subprocess.run(["tmux", "-S", os.path.join(work, "tmux"), *args], check=True, capture_output=True,
                          text=True).stdout


def screen_with(work, wanted):
    end = time.monotonic() + PATIENCE_S
    while not re.search(wanted, screen := tmux(work, "capture-pane", "-e", "-p")):
        if time.monotonic() > end:
            sys.exit(f"what the picture is of did not come:\n{screen}")
        time.sleep(0.1)
    return screen


def picture_of_terminal(work, seeds, out):
    with open(os.path.join(work, "hosts.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(seeds) + "\nhttp://old.localhost:9/\n")
    shell = "env PS1='$ ' LC_ALL=C.UTF-8 TERM=xterm-256color bash --norc --noprofile"
    tmux(work, "-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-c", work, shell)
    try:
        screen_with(work, r"^\$")
        tmux(work, "send-keys", "crawl --seeds hosts.txt --depth 4 --delay 50ms --max-pages 2000", "Enter")
        screen = screen_with(work, r"crawling.* 00:00:1[4-9]")
    finally:
        tmux(work, "kill-server")
    with open(out, "w", encoding="utf-8") as file:
        file.write(svg_of(screen))


# ---- pages ----

def save(browser, out):
    """Saves a screenshot with as few colours as a page needs, which takes a third of the bytes."""
    shot = browser.call("Page.captureScreenshot")
    picture = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(out, optimize=True)


def set_size(browser, width, height):
    browser.call("Emulation.setScrollbarsHidden", hidden=True)
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def picture_of_live_page(browser, work, seeds, out):
    crawl = subprocess.Popen(["crawl", "--listen", "0", "--depth", "4", "--delay", "50ms", *seeds], cwd=work,
                             stderr=subprocess.PIPE, text=True)
    try:
        url = next(line for line in crawl.stderr if "to control it: " in line).split()[-1]
        time.sleep(12)  # a visible pace
        browser.show(url, 1200, "light")
        set_size(browser, 1200, 900)
        time.sleep(3)
        save(browser, out)
    finally:
        crawl.terminate()
        crawl.wait()
        crawl.stderr.close()


def picture_of_report(browser, work, seed, out):
    subprocess.run(["crawl", "--quiet", "--depth", "20", "--delay", "0", "--per-host", "8", "--data", "--retries", "0",
                    "--report", "report.html", seed], cwd=work, check=True)
    browser.call("Page.navigate", url="file://" + os.path.join(work, "report.html"))
    set_size(browser, 1200, 900)
    browser.wait_for("document.readyState === 'complete' && document.body !== null && document.body.innerText.length "
                     "> 1000")
    save(browser, out)


def main():
    program, port, work, pictures = sys.argv[1:]
    os.environ["PATH"] = program + ":" + os.environ["PATH"]
    seeds = [f"http://{host}.localhost:{port}/" for host in HOSTS]
    picture_of_terminal(work, seeds, os.path.join(pictures, "terminal.svg"))
    browser = LivePage()
    try:
        picture_of_live_page(browser, work, seeds, os.path.join(pictures, "live.png"))
        picture_of_report(browser, work, seeds[0], os.path.join(pictures, "report.png"))
    finally:
        browser.close()
    for name in sorted(os.listdir(pictures)):
        size = os.path.getsize(os.path.join(pictures, name))
        print(f"docs/images/{name}: {size} bytes")
        if size > MOST_BYTES:
            sys.exit(f"{name} is larger than {MOST_BYTES} bytes")


main()
