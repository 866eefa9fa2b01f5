"""Watches the machine on which it runs. It measures every few seconds, and from time to time makes a survey of the
programs that use the processor."""
import os
import platform
import socket
import sys
import time

import machine
from channel import Channel, Stopped

VERSION = "1.0.0"
RUNS_KEPT = 50
SETTINGS = {
    "disk_warn": (90, 1, 100),
    "memory_warn": (90, 1, 100),
    "load_warn": (2, 0.1, 100),
    "every": (5, 1, 300),
    "survey_every": (10, 1, 1440),
    "survey_seconds": (5, 1, 60),
    "processes": (10, 1, 50),
    "order": ("cpu", ["cpu", "memory"]),
    "memory_disks": (False,),
}


def main():
    channel = Channel("watch", VERSION, SETTINGS)
    watch = Watch(channel)
    channel.log(f"started, process {os.getpid()}")
    try:
        while True:
            watch.round()
    except Stopped:
        watch.stop()


class Watch:
    def __init__(self, channel):
        self.channel, self.settings = channel, channel.settings()
        self.runs = channel.earlier_runs()
        self.shares, self.rows, self.busy = machine.Shares(), [], None
        self.survey_due = time.monotonic()
        self.active, self.paused = None, False

    def round(self):
        self.settings = self.channel.settings()
        if self.channel.paused():
            return self.pause()
        if self.paused:
            self.paused = False
            self.channel.log("resumed")
        pressed = self.channel.take_run_now()
        if pressed or time.monotonic() >= self.survey_due:
            self.survey("run now" if pressed else "schedule")
        else:
            self.measure()
        self.write()
        self.channel.wait(self.settings["every"], paused=False)

    def pause(self):
        if not self.paused:
            self.paused = True
            self.channel.log("paused")
        self.write({"level": "info", "label": "Paused", "detail": "Nothing is measured until somebody resumes."})
        self.channel.wait(3600, paused=True)

    def measure(self):
        self.busy, self.rows = self.shares.since()

    def survey(self, why):
        """Makes one survey, which is a run: watches all processes for some seconds, and names the programs that used
        the processor."""
        seconds, started = self.settings["survey_seconds"], time.time()
        run = {"id": f"survey-{int(started * 1000)}", "kind": "survey", "status": "running", "started": int(started), "log": "watch"}
        self.runs = [run, *self.runs][:RUNS_KEPT]
        self.active = {"kind": "survey", "started": int(started), "detail": f"looks for {seconds:g} seconds", "log": "watch"}
        self.measure()
        self.write()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self.channel.paused():
            time.sleep(min(left, 0.25))
        self.measure()
        whole = sum(row["share"] for row in self.rows)
        worst = worst_of(self.health())
        run.update(status="paused" if self.channel.paused() else worst, ended=int(time.time()), subjects=subjects(self.rows, whole))
        self.active = None
        self.survey_due = time.monotonic() + self.settings["survey_every"] * 60
        top = ", ".join(s["title"] for s in run["subjects"][:3]) or "nothing"
        self.channel.log(f"survey ({why}): {run['status']}, {whole:.2f} cores busy, most of it {top}")

    def stop(self):
        for run in self.runs:
            if "ended" not in run:
                run.update(status="stopped", ended=int(time.time()))
        self.active = None
        self.write({"level": "info", "label": "Stopped", "detail": "The agent was asked to end."})
        self.channel.log("stopped")

    def write(self, state=None):
        self.channel.write_status({
            "state": state or self.state(),
            "health": self.health(),
            "active": [self.active] if self.active else [],
            "gauges": self.gauges(),
            "runs": self.runs,
            "panels": [self.table(), self.facts()],
        })

    def state(self):
        health = self.health()
        level = worst_of(health)
        wrong = [item["name"] for item in health if item["level"] != "ok"]
        label = f"Not OK: {', '.join(wrong)}" if wrong else "All quiet" if not self.active else "Surveying"
        load = " ".join(f"{n:.2f}" for n in os.getloadavg())
        return {"level": level, "label": label[:80], "detail": f"Load {load} on {machine.CORES} cores, {len(self.rows)} processes."}

    def health(self):
        s = self.settings
        load = os.getloadavg()[1]
        items = [judged("Load", load / machine.CORES, s["load_warn"], f"{load:.2f} in five minutes, {load / machine.CORES:.2f} per core")]
        for name, (used, total) in machine.memory().items():
            if name == "Memory":
                items.append(judged(name, used / total * 100, s["memory_warn"], of(used, total)))
        for path, (used, total) in self.disks():
            items.append(judged(f"Disk {path}", used / total * 100, s["disk_warn"], of(used, total)))
        return items

    def gauges(self):
        s = self.settings
        load = os.getloadavg()[0]
        gauges = []
        if self.busy is not None:
            gauges.append({"name": "Processor", "used": round(self.busy, 4), "detail": f"{self.busy * 100:.0f} % of {machine.CORES} cores, load {load:.2f}"})
        for name, (used, total) in machine.memory().items():
            mark = {"mark": s["memory_warn"] / 100} if name == "Memory" else {}
            gauges.append({"name": name, "used": round(used / total, 4), **mark, "detail": of(used, total)})
        for path, (used, total) in self.disks():
            gauges.append({"name": f"Disk {path}", "used": round(used / total, 4), "mark": s["disk_warn"] / 100, "detail": of(used, total)})
        return gauges[:50]

    def disks(self):
        return list(machine.disks(self.settings["memory_disks"]).items())[:40]

    def table(self):
        key = {"cpu": "share", "memory": "memory"}[self.settings["order"]]
        rows = sorted(self.rows, key=lambda row: (row[key], row["memory"]), reverse=True)[: int(self.settings["processes"])]
        cells = [[row["name"], str(row["pid"]), row["user"], f"{row['share'] * 100:.1f} %", size(row["memory"])] for row in rows]
        return {"type": "table", "title": "Top processes", "columns": ["Program", "Process", "User", "Processor", "Memory"], "rows": cells}

    def facts(self):
        facts = {"System": f"{platform.system()} {platform.release()}", "Host": socket.gethostname(), "Cores": machine.CORES, "Processes": len(self.rows)}
        up = machine.uptime()
        if up is not None:
            facts["Running since"] = time.strftime("%Y-%m-%d %H:%M", time.localtime(time.time() - up))
        return {"type": "kv", "title": "Machine", "items": [{"label": k, "value": str(v)} for k, v in facts.items()]}


def subjects(rows, whole):
    """The programs that used the processor, each with its share of the CPU time that all of them used."""
    programs = {}
    for row in rows:
        count, share = programs.get(row["name"], (0, 0.0))
        programs[row["name"]] = (count + 1, share + row["share"])
    top = sorted(programs.items(), key=lambda item: item[1][1], reverse=True)[:8]
    many = lambda n: "" if n == 1 else f" ({n} processes)"
    return [{"title": f"{name}{many(n)}", "share": round(min(1, share / whole), 4)} for name, (n, share) in top if share > 0]


def judged(name, value, limit, detail):
    return {"name": name, "level": "warn" if value >= limit else "ok", "detail": detail}


def worst_of(health):
    return "warn" if any(item["level"] == "warn" for item in health) else "ok"


def of(used, total):
    return f"{size(used)} of {size(total)} ({used / total * 100:.0f} %)"


def size(number):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit in ("B", "KiB") else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} TiB"


if __name__ == "__main__":
    sys.exit(main())
