"""Checks at intervals the links in a folder of documents."""
import os
import sys
import time
from pathlib import Path

import check
import documents
import tasks
from channel import Channel, Stopped

VERSION = "1.1.0"
RUNS_KEPT = 50
WRITE_SECONDS = 60  # the status is written at least this often: its age shows that the agent works
SETTINGS = {
    "folder": ("",),
    "kinds": ("all", ["all", "markdown", "html"]),
    "ignore": ("",),
    "check_web": (False,),
    "timeout": (10, 1, 60),
    "bad_share": (10, 0, 100),
    "every": (5, 0.1, 1440),
}


def main():
    checker = Checker(Channel("checks", VERSION, SETTINGS))
    checker.channel.log(f"started, process {os.getpid()}")
    try:
        while True:
            checker.round()
    except Stopped:
        checker.stop()


class Checker:
    def __init__(self, channel):
        self.channel = channel
        self.runs = channel.earlier_runs()
        self.web = check.Web()
        self.tasks = tasks.from_environment(channel.wake)
        self.result, self.settings = None, None
        self.active, self.paused, self.due, self.written = None, False, time.monotonic(), 0.0

    def round(self):
        settings = self.channel.settings()
        if self.channel.paused():
            return self.pause(settings)
        if self.paused:
            self.paused = False
            self.channel.log("resumed")
        changed = self.settings is not None and settings != self.settings
        self.settings = settings
        pressed = self.channel.take_run_now()
        if pressed or changed or time.monotonic() >= self.due:
            self.check("run now" if pressed else "settings changed" if changed else "schedule")
        self.write()
        self.channel.wait(min(WRITE_SECONDS, max(0.0, self.due - time.monotonic())), paused=False)

    def pause(self, settings):
        if not self.paused:
            self.paused = True
            self.channel.log("paused")
        self.settings = self.settings or settings
        self.write({"level": "info", "label": "Paused", "detail": "No link is checked until somebody resumes."})
        self.channel.wait(3600, paused=True)

    def check(self, why):
        """Makes one run, which checks every link in every document. A pause ends the run between two documents."""
        s, started = self.settings, time.time()
        root = Path(s["folder"]).expanduser() if s["folder"] else self.channel.folder
        run = {"id": f"check-{int(started * 1000)}", "kind": "check with web" if s["check_web"] else "check", "status": "running", "started": int(started), "log": "checks"}
        self.runs = [run, *self.runs][:RUNS_KEPT]
        self.active = {"kind": run["kind"], "started": int(started), "steps": 0, "detail": f"lists the documents of {root}", "log": "checks"}
        self.write()
        self.due = time.monotonic() + s["every"] * 60
        result = Result(root)
        if not root.is_dir():
            result.trouble = f"{root} is not a folder"
        for path in documents.documents(root, s["kinds"]) if root.is_dir() else []:
            if self.channel.paused():
                result.cut_short = True
                break
            self.step(str(path.relative_to(root)))
            result.read(path, s["ignore"].split())
        if s["check_web"] and not result.cut_short:
            asked = lambda address: self.step(check.host_of(address))
            self.web.ask(result.addresses(), s["timeout"], lambda: not self.channel.paused(), asked)
            result.cut_short = self.channel.paused()
            result.judge_web(self.web)
        if result.cut_short:
            self.due = time.monotonic()  # after the pause, a new run starts at once
        self.active = None
        self.result = result
        run.update(status=result.status(), ended=int(time.time()), subjects=result.subjects())
        self.channel.log(f"{run['kind']} ({why}): {run['status']}; {result.summary()}")
        for name, line, target, badge, _ in result.broken[:100]:
            self.channel.log(f"  {name}:{line} {badge}: {target}")
        if self.tasks and not result.trouble and not result.cut_short:
            self.tasks.want(result.tasks())

    def step(self, detail):
        self.active.update(steps=self.active["steps"] + 1, detail=detail[:300])
        if time.monotonic() - self.written > 0.5:
            self.write()

    def stop(self):
        for run in self.runs:
            if "ended" not in run:
                run.update(status="stopped", ended=int(time.time()))
        self.active = None
        self.write({"level": "info", "label": "Stopped", "detail": "The agent was asked to end."})
        self.channel.log("stopped")

    def write(self, state=None):
        self.written = time.monotonic()
        shown = self.result.shown(self.settings["bad_share"]) if self.result else {"state": {"level": "info", "label": "Starting"}}
        if self.active:
            shown = {**shown, "state": {**shown["state"], "label": "Checking", "detail": self.active["detail"]}}
        if state:
            shown = {**shown, "state": state}
        if self.tasks:
            for line in self.tasks.lines():
                self.channel.log(line)
            shown = {**shown, "health": [*shown.get("health", []), self.tasks.health()]}
        self.channel.write_status({**shown, "active": [self.active] if self.active else [], "runs": self.runs})


class Result:
    """The result of one run: the documents that were read, and the links that were found to be broken."""

    def __init__(self, root):
        self.root, self.documents, self.broken, self.web = root, {}, [], []
        self.checked, self.skipped, self.asked = 0, 0, 0
        self.trouble, self.cut_short, self.ended = None, False, time.time()

    def read(self, path, ignore):
        name = str(path.relative_to(self.root))
        try:
            links = documents.read(path).links
        except (OSError, ValueError) as error:
            self.documents[name] = 0
            self.broken.append((name, 1, name, "unreadable", str(error)))
            return
        self.documents[name] = len(links)
        for line, target in links:
            sort = check.sort_of(target, ignore)
            if sort == "web":
                self.web.append((name, line, target))
            if sort != "file":
                self.skipped += 1
                continue
            self.checked += 1
            if fault := check.file_fault(self.root, path, target):
                self.broken.append((name, line, target, *fault))
        self.ended = time.time()

    def addresses(self):
        return [target.partition("#")[0] for _, _, target in self.web]

    def judge_web(self, web):
        for name, line, target in self.web:
            address = target.partition("#")[0]
            if address not in web.known:
                continue
            self.checked += 1
            self.asked += 1
            self.skipped -= 1
            if fault := web.fault(address):
                self.broken.append((name, line, target, *fault))
        self.broken.sort(key=lambda one: one[:2])
        self.ended = time.time()

    def status(self):
        return "failed" if self.trouble else "paused" if self.cut_short else "broken links" if self.broken else "ok"

    def summary(self):
        if self.trouble:
            return self.trouble
        left = f", {self.skipped} left out" if self.skipped else ""
        return f"{count(len(self.documents), 'document')}, {count(self.checked, 'link')} checked, {len(self.broken)} broken{left}"

    def subjects(self):
        """The documents with the most links, each with its share of all links."""
        whole = sum(self.documents.values())
        most = sorted(self.documents.items(), key=lambda item: -item[1])[:10]
        return [{"title": name[:200], "share": round(links / whole, 4)} for name, links in most if links]

    def tasks(self):
        """The documents with broken links, as a map {document: (title, detail)}."""
        lines = {}
        for name, line, target, _, reason in self.broken:
            lines.setdefault(name, []).append(f"line {line}: {target or '(empty)'} - {reason}"[:200])
        return {name: (f"{count(len(all), 'broken link')} in {name}"[:200], "\n".join(all[:8])) for name, all in lines.items()}

    def shown(self, bad_share):
        """The state, health, gauges and panels for the status file (2.11)."""
        share = len(self.broken) / max(1, self.checked, len(self.broken))
        level = "bad" if self.trouble else "ok" if not self.broken else "bad" if share * 100 >= bad_share else "warn"
        label = "No folder to check" if self.trouble else "All links lead somewhere" if not self.broken else f"{count(len(self.broken), 'broken link')}"
        per_document = {}
        for name, *_ in self.broken:
            per_document[name] = per_document.get(name, 0) + 1
        worst = sorted(per_document.items(), key=lambda item: -item[1])[:30]
        done = len(self.documents) - len(per_document)
        return {
            "state": {"level": level, "label": label, "detail": self.summary()[:300]},
            "health": [{"name": "Links", "level": level, "detail": self.summary()[:300]}]
            + [{"name": name[:200], "level": "warn", "detail": count(n, "broken link")} for name, n in worst],
            "gauges": [
                {"name": "Broken links", "used": round(share, 4), "mark": bad_share / 100, "detail": f"{len(self.broken)} of {self.checked}"},
                {"name": "Documents without a fault", "used": round(done / max(1, len(self.documents)), 4), "detail": f"{done} of {len(self.documents)}"},
            ],
            "panels": [
                {"type": "list", "title": "Broken links", "items": [listed(one, level) for one in self.broken[:100]]},
                {"type": "text", "title": "Last check", "lines": self.lines()},
            ],
        }

    def lines(self):
        web = f"{self.asked} of {count(len(self.web), 'link')} to the web checked"
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.ended))
        return [f"Folder: {self.root}"[:500], f"Ended: {when}", f"Found: {self.summary()}"[:500], f"Web: {web}"]


def listed(fault, level):
    name, line, target, badge, reason = fault
    item = {"title": (target or "(empty)")[:200], "meta": f"{name}:{line} · {reason}"[:200], "badge": badge, "level": level}
    return {**item, "url": target} if target.startswith(("http://", "https://")) else item


def count(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    sys.exit(main())
