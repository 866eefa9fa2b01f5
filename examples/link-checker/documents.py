"""Reads documents: the links in a Markdown or HTML file, with the line of each, and the anchors that the file has."""
import os
import re
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

KINDS = {"markdown": (".md", ".markdown"), "html": (".html", ".htm")}
KINDS["all"] = KINDS["markdown"] + KINDS["html"]
MOST_FILES = 5000
MOST_BYTES = 2 * 1024 * 1024
LEFT_OUT = {"node_modules", "__pycache__", "dist"}

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
INLINE = re.compile(r"\]\(\s*(?:<([^<>]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]]+\]:\s*(?:<([^<>]*)>|(\S+))")
AUTOMATIC = re.compile(r"<(https?://[^\s<>]+)>")
HEADING = re.compile(r"^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
UNDERLINE = re.compile(r"^ {0,3}(?:=+|-+)\s*$")


def documents(folder, kind):
    """The documents in a folder and below it, in a fixed order. Hidden folders and folders made by tools are left out."""
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in LEFT_OUT)
        found += [Path(path) / name for name in sorted(files) if name.lower().endswith(KINDS[kind])]
        if len(found) >= MOST_FILES:
            break
    return found[:MOST_FILES]


class Document:
    """`links` is a list of (line, target) in the order of the text, `anchors` the set of fragments that links to this
    document may use."""

    def __init__(self, links, anchors):
        self.links, self.anchors = links, anchors


def read(path):
    """Reads one document. Raises OSError if the file cannot be read, and ValueError if it is not a text or is too
    large."""
    facts = path.stat()
    return _read(str(path), facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=2000)
def _read(path, _changed, size):
    if size > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES // 1024 // 1024} MiB")
    text = Path(path).read_text("utf-8")
    return _html(text) if path.lower().endswith(KINDS["html"]) else _markdown(text)


def _html(text):
    page = _Page()
    page.feed(text)
    page.close()
    return Document(page.links, page.anchors | {"", "top"})


class _Page(HTMLParser):
    def __init__(self, line=0):
        super().__init__()
        self.links, self.anchors, self.line = [], set(), line

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if not value:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            if (name == "href" and tag in ("a", "link", "area")) or (name == "src" and tag in ("img", "script", "iframe", "source")):
                self.links.append((self.line + self.getpos()[0], value.strip()))


def _markdown(text):
    links, anchors, slugs = [], {"", "top"}, {}
    before = ""
    for number, line in _prose(text):
        heading = HEADING.match(line)
        title = heading.group(2) or "" if heading else before if UNDERLINE.match(line) and before.strip() else None
        if title is not None:
            slug = _slug(title)
            anchors.add(f"{slug}-{slugs[slug]}" if slug in slugs else slug)
            slugs[slug] = slugs.get(slug, 0) + 1
        before = line
        plain = CODE.sub(lambda code: " " * len(code.group()), line)
        for pattern in (INLINE, DEFINITION):
            links += [(number, _unescaped(a if a else b or "")) for a, b in pattern.findall(plain)]
        links += [(number, target) for target in AUTOMATIC.findall(plain)]
        page = _Page(number - 1)
        page.feed(plain)
        links += page.links
        anchors |= page.anchors
    return Document(links, anchors)


def _prose(text):
    """The lines of a text as pairs of (line number, line). Fenced code and comments are left out."""
    fence, comment = None, False
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence = None
            continue
        if mark:
            fence = mark.group(1)
            continue
        if comment or "<!--" in line:
            comment = "-->" not in line.rpartition("<!--")[2]
            continue
        yield number, line


def _slug(title):
    """The fragment of a heading, as Markdown viewers on the web form it."""
    title = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", title)
    title = re.sub(r"<[^>]*>", "", title)
    title = re.sub(r"(?<!\w)[*_]+|[*_]+(?!\w)", "", title)
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def _unescaped(target):
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", target)
