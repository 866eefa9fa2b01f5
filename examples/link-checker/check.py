"""Decides for each link whether it leads somewhere: files and anchors always, web addresses if the setting is on."""
import fnmatch
import queue
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import documents

WEB_KEPT_SECONDS = 3600
WEB_AT_ONCE = 4
MOST_ADDRESSES = 300
AGENT = "link-checker (an example agent; checks the links of its owner's documents)"


def sort_of(target, ignore):
    """The kind of check that a link needs: 'file', 'web' or 'other' (mail, telephone, data). 'ignored' if it matches a
    pattern of links to ignore."""
    if any(fnmatch.fnmatch(target, pattern) for pattern in ignore):
        return "ignored"
    scheme = target.partition(":")[0].lower() if ":" in target.split("/")[0].split("#")[0].split("?")[0] else ""
    if target.startswith("//"):
        return "web"
    return {"": "file", "http": "web", "https": "web"}.get(scheme, "other")


def file_fault(root, source, target):
    """Checks a link to a file, folder or anchor. Returns None if the target exists, otherwise (badge, reason)."""
    path, fragment = urldefrag(target)
    path, fragment = unquote(path.split("?")[0]), unquote(fragment)
    if not target:
        return "empty", "the link has no target"
    if "\0" in path:
        return "no file", "the target is no file name"
    there = source if not path else Path(root) / path.lstrip("/") if path.startswith("/") else source.parent / path
    try:
        if not there.exists():
            return "no file", f"there is no {path}"
        if not fragment or there.is_dir() or not there.name.lower().endswith(documents.KINDS["all"]):
            return None
        anchors = documents.read(there).anchors
    except (OSError, ValueError) as error:
        return "unreadable", str(error)
    if fragment in anchors or fragment.lower() in anchors:
        return None
    return "no anchor", f"{path or 'the document'} has no #{fragment}"


class Web:
    """Requests web addresses, a few at the same time, and remembers each result for an hour."""

    def __init__(self):
        self.known = {}

    def fault(self, address):
        """None if the address answered well or was not requested; otherwise (badge, reason)."""
        return self.known.get(address, (0, None))[1]

    def ask(self, addresses, timeout, goes_on, asked):
        """Requests the addresses without a remembered result. `goes_on()` is called before each address,
        `asked(address)` after it."""
        now = time.monotonic()
        due = [a for a in dict.fromkeys(addresses) if a not in self.known or now - self.known[a][0] > WEB_KEPT_SECONDS]
        waiting, done = queue.SimpleQueue(), queue.SimpleQueue()
        due = due[:MOST_ADDRESSES]
        for address in due:
            waiting.put(address)

        def worker():
            while goes_on():
                try:
                    address = waiting.get_nowait()
                except queue.Empty:
                    break
                done.put((address, _answer(address, timeout)))
            done.put(None)

        crew = min(WEB_AT_ONCE, len(due))
        for _ in range(crew):  # daemon threads, so that a slow address never delays the end of the program
            threading.Thread(target=worker, daemon=True).start()
        while crew:
            answer = done.get()
            if answer is None:
                crew -= 1
                continue
            self.known[answer[0]] = (time.monotonic(), answer[1])
            asked(answer[0])


def _answer(address, timeout):
    for method in ("HEAD", "GET"):
        request = urllib.request.Request("https:" + address if address.startswith("//") else address, method=method)
        request.add_header("User-Agent", AGENT)
        try:
            with urllib.request.urlopen(request, timeout=timeout):
                return None
        except urllib.error.HTTPError as error:
            if method == "HEAD" and error.code in (400, 403, 404, 405, 429, 500, 501):
                continue  # some sites answer HEAD differently from GET, so GET is tried next
            if error.code in (401, 403, 429):
                return None  # the page exists, but the site refuses requests of programs
            return str(error.code), f"the address answers {error.code} {error.reason}"
        except Exception as error:  # noqa: BLE001 - urllib may raise anything for a strange address
            return "no answer", str(getattr(error, "reason", error)) or type(error).__name__


def host_of(address):
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address
