"""Reads the state of the machine: from /proc on Linux, elsewhere with `ps` and the standard library. Other files judge
it."""
import os
import pwd
import subprocess
import time
from functools import lru_cache
from pathlib import Path

PROC = Path("/proc")
HAS_PROC = (PROC / "stat").exists() and (PROC / "meminfo").exists()
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
CORES = os.cpu_count() or 1


def processor():
    """The seconds that all cores together were busy, and all their seconds, since the machine started: (busy, all).
    None if the system does not tell."""
    if not HAS_PROC:
        return None
    fields = [int(n) for n in (PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / TICKS, sum(fields) / TICKS


def memory():
    """The memory of the machine, as a map {name: (used, total)} in bytes."""
    if not HAS_PROC:
        return {}
    facts = {}
    for line in (PROC / "meminfo").read_text().splitlines():
        name, _, rest = line.partition(":")
        facts[name] = int(rest.split()[0]) * 1024
    total = facts["MemTotal"]
    kinds = {"Memory": (total - facts.get("MemAvailable", facts["MemFree"]), total)}
    if facts.get("SwapTotal"):
        kinds["Swap"] = (facts["SwapTotal"] - facts["SwapFree"], facts["SwapTotal"])
    return kinds


def disks(in_memory):
    """The file systems, as a map {mount point: (used, total)} in bytes. Each file system is listed once, under its
    shortest mount point."""
    found = {}
    for kind, path in sorted(_mounts(), key=lambda mount: len(mount[1])):
        if kind == "tmpfs" and not in_memory:
            continue
        try:
            facts, device = os.statvfs(path), os.stat(path).st_dev
        except OSError:
            continue
        usable = facts.f_blocks - facts.f_bfree + facts.f_bavail
        if usable > 0 and device not in found:
            found[device] = (path, ((usable - facts.f_bavail) * facts.f_frsize, usable * facts.f_frsize))
    return dict(found.values())


def _mounts():
    if not HAS_PROC:
        return [("disk", "/")]
    real = {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "overlay", "vfat", "exfat", "ntfs3", "nfs", "nfs4", "tmpfs"}
    mounts = []
    for line in (PROC / "self/mounts").read_text("utf-8", "replace").splitlines():
        _, path, kind, *_ = line.split(" ")
        path = path.replace("\\040", " ")
        if kind in real and (path == "/" or Path(path).is_dir()):
            mounts.append((kind, path))
    return mounts


def processes():
    """The processes, as a map {(pid, start): {name, user, memory, cpu}}. Memory is in bytes; cpu is in seconds since
    the process started."""
    return _from_proc() if HAS_PROC else _from_ps()


def _from_proc():
    found = {}
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat, owner = (folder / "stat").read_text("utf-8", "replace"), folder.stat().st_uid
            command = (folder / "cmdline").read_text("utf-8", "replace")
        except OSError:
            continue  # the process has ended meanwhile
        # this is the name of a thread and may be cut off; the program's name is better
        own = stat[stat.index("(") + 1 : stat.rindex(")")]
        name = os.path.basename(command.split("\0")[0].split(" ")[0]).strip("-:") or own
        fields = stat[stat.rindex(")") + 2 :].split()
        found[(int(folder.name), fields[19])] = {
            "name": name,
            "user": _user(owner),
            "memory": int(fields[21]) * PAGE,
            "cpu": (int(fields[11]) + int(fields[12])) / TICKS,
        }
    return found


def _from_ps():
    command = ["ps", "-Ao", "pid=,user=,rss=,time=,comm="]
    rows = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20, check=True).stdout
    found = {}
    for row in rows.splitlines():
        pid, user, rss, cpu, name = row.split(None, 4)
        seconds = 0.0
        for part in cpu.replace("-", ":").split(":"):
            seconds = seconds * 60 + float(part)
        found[(int(pid), name)] = {"name": os.path.basename(name), "user": user, "memory": int(rss) * 1024, "cpu": seconds}
    return found


@lru_cache(maxsize=None)
def _user(number):
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def uptime():
    """The seconds since the machine started; None if the system does not tell."""
    return float((PROC / "uptime").read_text().split()[0]) if HAS_PROC else None


class Shares:
    """Computes from two readings of the machine how busy it was in between."""

    def __init__(self):
        self.look()

    def look(self):
        self.at, self.total, self.seen = time.monotonic(), processor(), processes()

    def since(self):
        """Compares the machine with the last reading. Returns the share of all cores that was busy (or None), and a
        list of processes, each with the `share` of one core that it used."""
        at, total, seen = self.at, self.total, self.seen
        self.look()
        elapsed = max(self.at - at, 0.001)
        busy = None
        if total and self.total and self.total[1] > total[1]:
            busy = min(1.0, max(0.0, (self.total[0] - total[0]) / (self.total[1] - total[1])))
        rows = []
        for key, now in self.seen.items():
            before = seen[key]["cpu"] if key in seen else 0.0
            rows.append({**now, "pid": key[0], "share": max(0.0, now["cpu"] - before) / elapsed})
        return busy, rows
