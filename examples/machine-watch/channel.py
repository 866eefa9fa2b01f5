"""The files through which an agent reports and is controlled; it never waits for a reader.

The agent writes its status file (temp + rename, so that a reader sees a whole one) and its log. It reads settings, the
pause file, and the run-now file, which it removes when it acts. Under `svc run` the environment names these files; started
by hand they are in `.svc/` and `state/` of the agent's folder, where `svc report` finds them. Each Python example has a
copy of this file, because each folder must work alone.
"""
import json
import os
import re
import signal
import threading
import time
from pathlib import Path

LOG_BYTES = 256 * 1024
LOOK_SECONDS = 0.25
CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


class Stopped(BaseException):
    """Raised by SIGTERM or SIGINT at whatever place the program is, so that it ends at once."""


class Channel:
    """`settings` maps a key to (default, min, max) or, for a select, to (default, choices)."""

    def __init__(self, log_name, version, settings):
        folder = Path(os.environ.get("SVC_AGENT_DIR") or Path(__file__).resolve().parent)
        place = lambda name, usual: Path(os.environ.get(name) or folder / usual)
        self.folder = folder
        self.state = place("SVC_STATE_DIR", "state")
        self.pause_file = place("SVC_PAUSE_FILE", ".svc/paused")
        self.run_now_file = place("SVC_RUN_NOW_FILE", ".svc/run_now")
        self.settings_file = place("SVC_SETTINGS_FILE", ".svc/settings.json")
        self.log_name, self.version, self.table = log_name, version, settings
        self.state.mkdir(parents=True, exist_ok=True)
        self.log_file = self.state / f"{log_name}.log"
        self.status_file = self.state / "status.json"
        self.seen_settings, self.given = self._stamp(), {}
        self.woken = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _stop)

    def paused(self):
        return self.pause_file.exists()

    def take_run_now(self):
        """True once for each press of run now: the request's file is removed before the work starts."""
        try:
            self.run_now_file.unlink()
            return True
        except FileNotFoundError:
            return False

    def settings(self):
        """The current values of the settings. A missing, null, mistyped or out-of-bounds value is replaced by the
        agent's own default. While the file is unreadable, for example because somebody is writing it, the last
        values stay."""
        self.seen_settings = self._stamp()
        try:
            given = json.loads(self.settings_file.read_text("utf-8"))
            self.given = given if isinstance(given, dict) else {}
        except FileNotFoundError:
            self.given = {}
        except (OSError, ValueError) as error:
            self.log(f"settings are not readable, the last ones stay: {error}")
        return {key: _checked(self.given.get(key), *rule) for key, rule in self.table.items()}

    def wake(self):
        """Ends the current wait, or the next one. It may be called from any thread."""
        self.woken.set()

    def wait(self, seconds, paused):
        """Waits. The wait ends early when a setting, the pause or run now differs from what the caller has seen."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.run_now_file.exists() and not paused:
                return
            if self.paused() != paused or self._stamp() != self.seen_settings:
                return
            if self.woken.is_set():
                return self.woken.clear()
            time.sleep(min(left, LOOK_SECONDS))

    def write_status(self, status):
        """Writes the status file, which may hold only keys that version 1 knows."""
        status = {"agent": {"version": self.version}, **status}
        _replace(self.status_file, json.dumps(status, ensure_ascii=False).encode("utf-8", "replace"))

    def earlier_runs(self):
        """The runs from before this start of the agent. A run that was in progress then is marked as interrupted."""
        try:
            runs = json.loads(self.status_file.read_text("utf-8")).get("runs", [])
            for run in runs:
                if "ended" not in run:
                    run.update(status="interrupted", ended=int(time.time()))
            return runs
        except (OSError, ValueError, AttributeError, TypeError):
            return []

    def log(self, line):
        """Appends one line to the log. When the file grows past its limit, only its newer half is kept."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        with open(self.log_file, "ab") as file:
            file.write(f"{stamp} {CONTROLS.sub(' ', str(line))}\n".encode("utf-8", "replace"))
            size = file.tell()
        if size > LOG_BYTES:
            newest = self.log_file.read_bytes()[-LOG_BYTES // 2 :]
            _replace(self.log_file, newest[newest.find(b"\n") + 1 :])

    def _stamp(self):
        try:
            facts = self.settings_file.stat()
            return (facts.st_mtime_ns, facts.st_ino, facts.st_size)
        except OSError:
            return None


def _stop(*_):
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    raise Stopped


def _replace(path, content):
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(content)
    os.replace(beside, path)


def _checked(value, default, *limits):
    if isinstance(default, bool):
        return value if isinstance(value, bool) else default
    if isinstance(default, (int, float)):
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and limits[0] <= value <= limits[1]
        return value if fits else default
    if not isinstance(value, str) or (limits and value not in limits[0]):
        return default
    return value
