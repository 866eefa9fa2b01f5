"""Keeps one open task for each document with broken links, in the product that the binding names. Without a binding it does nothing.

It works in a separate thread, so that nobody waits: a product that is slow, away or refuses is tried again later.
"""
import http.client
import json
import os
import queue
import threading
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 10
AGAIN_SECONDS = 60
MAX_BYTES = 4 * 1024 * 1024
MAX_TASKS = 100


def from_environment(wake):
    """Reads the three environment variables of the binding `tasks`. Returns None if one of them is missing. `wake()` is
    called when something has changed."""
    url, workspace, token = (os.environ.get(f"SVC_BINDING_TASKS_{part}") for part in ("URL", "WORKSPACE", "TOKEN"))
    return Tasks(url, workspace, token, wake) if url and workspace and token else None


class Tasks:
    def __init__(self, url, workspace, token, wake):
        self.place = f"{url.rstrip('/')}/api/v1/workspaces/{urllib.parse.quote(workspace, safe='')}/tasks"
        self.token, self.wake = token, wake
        self.said = "nothing was asked of it yet"
        self.news = queue.SimpleQueue()
        self.wanted, self.changed = None, threading.Condition()
        # a daemon thread, so that it never delays the end of the program
        threading.Thread(target=self._work, daemon=True).start()

    def want(self, broken):
        """Sets which tasks should exist, as {document: (title, detail)}, and returns at once. Only the latest call
        counts."""
        with self.changed:
            self.wanted = dict(sorted(broken.items())[:MAX_TASKS])
            self.changed.notify()

    def health(self):
        """The health item `Tasks`. It is never worse than `info`, since an outage of the product says nothing about the
        links. The runtime's item `Binding tasks` shows the state of the token."""
        return {"name": "Tasks", "level": "info", "detail": self.said[:300]}

    def lines(self):
        """Lines for the log about what has happened since the last call."""
        lines = []
        while not self.news.empty():
            lines.append(self.news.get())
        return lines

    def _work(self):
        done = None
        while True:
            with self.changed:
                if self.wanted is done:
                    self.changed.wait()
                wanted = self.wanted
            try:
                self._bring_about(wanted)
                self._say(f"{len(wanted)} open, one for each document with broken links")
                done = wanted
            except Exception as error:  # noqa: BLE001 - whatever the product or the network does, the checks continue
                self._say(f"not up to date: {error or type(error).__name__}")
                with self.changed:
                    if self.wanted is wanted:
                        self.changed.wait(AGAIN_SECONDS)

    def _say(self, said):
        if said != self.said:
            self.said = said
            self.news.put(f"tasks: {said}")
            self.wake()

    def _bring_about(self, wanted):
        """Opens a task again if a person closed it although its document still has broken links."""
        there = {task["key"]: task for task in self._call("GET", "?state=open&mine=true")["tasks"] if task["key"]}
        for document, (title, detail) in wanted.items():
            task = there.get(document)
            if not task:
                self._call("POST", "", {"key": document, "title": title, "detail": detail})
                self.news.put(f"tasks: opened one for {document}")
            elif (task["title"], task["detail"]) != (title, detail):
                self._call("PATCH", f"/{task['id']}", {"title": title, "detail": detail})
        for document, task in there.items():
            if document not in wanted:
                self._call("PATCH", f"/{task['id']}", {"state": "done"})
                self.news.put(f"tasks: closed the one for {document}")

    def _call(self, method, path, body=None):
        request = urllib.request.Request(self.place + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with OPENER.open(request, timeout=TIMEOUT_SECONDS) as answer:
                return json.loads(answer.read(MAX_BYTES))
        except urllib.error.HTTPError as error:
            raise OSError(f"the product answers {error.code} {error.reason}") from None
        except (OSError, http.client.HTTPException) as error:
            raise OSError(f"the product cannot be reached: {getattr(error, 'reason', error)}") from None


class _Stay(urllib.request.HTTPRedirectHandler):
    """Handles no redirect, so that the token is sent to the product's own address and nowhere else."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(_Stay)
