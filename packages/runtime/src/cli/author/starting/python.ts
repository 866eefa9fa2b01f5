import { limits } from '@svc/protocol'

/** The command in the manifest of a new blueprint in Python. */
export const command = '[python3, -u, -B, main.py]'
/** The command with which the README runs the program by hand. */
export const run = 'python3 main.py'

/** The program of a new blueprint in Python, which needs Python 3.8 or newer and nothing else. */
export const main = String.raw`"""The work goes into work(). Everything else lets people watch and control the agent; see README.md."""
import json
import os
import signal
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = Path(os.environ.get("SVC_AGENT_DIR") or HERE)
STATE = Path(os.environ.get("SVC_STATE_DIR") or FOLDER / "state")
PAUSE = Path(os.environ.get("SVC_PAUSE_FILE") or FOLDER / ".svc/paused")
RUN_NOW = Path(os.environ.get("SVC_RUN_NOW_FILE") or FOLDER / ".svc/run_now")
SETTINGS = Path(os.environ.get("SVC_SETTINGS_FILE") or FOLDER / ".svc/settings.json")
DEFAULTS = {"every": 10}
WRITE_SECONDS = ${limits.statusEverySeconds}  # the status is written at least this often: its age shows that the agent works


def work(settings):
    """REPLACE ME: do the work here, and return what the page shows (state, health, gauges, panels)."""
    log(f"worked; again in {settings['every']} minutes")
    return {"state": {"level": "info", "label": "Nothing to do yet", "detail": "Replace the function work in main.py."}}


def main():
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    STATE.mkdir(parents=True, exist_ok=True)
    seen, runs, due, before, written, written_at = {}, [], 0.0, None, None, 0.0
    while True:
        settings = read_settings()
        paused = PAUSE.exists()
        if paused:
            before = None
        elif pressed() or settings != before or time.monotonic() >= due:
            started = time.time()
            seen = work(settings)
            run = {"id": f"work-{int(started * 1000)}", "kind": "work", "status": "ok", "started": int(started), "ended": int(time.time()), "log": "work"}
            runs = [run, *runs][:50]
            before, due = settings, time.monotonic() + settings["every"] * 60
        status = {**seen, **({"state": {"level": "info", "label": "Paused"}} if paused else {}), "runs": runs}
        if status != written or time.monotonic() >= written_at + WRITE_SECONDS:
            write(status)
            written, written_at = status, time.monotonic()
        time.sleep(0.5)


def read_settings():
    try:
        given = json.loads(SETTINGS.read_text("utf-8"))
    except (OSError, ValueError):
        given = {}
    fits = lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    return {key: given[key] if fits(given.get(key)) else usual for key, usual in DEFAULTS.items()}


def pressed():
    """True once for each press of run now: the file is removed before the work starts."""
    try:
        RUN_NOW.unlink()
        return True
    except FileNotFoundError:
        return False


def write(status):
    """Writes a new file and renames it, so that nobody reads half of it."""
    beside = STATE / ".status.json.new"
    beside.write_text(json.dumps(status), "utf-8")
    os.replace(beside, STATE / "status.json")


def log(line):
    path = STATE / "work.log"
    if path.exists() and path.stat().st_size > 256 * 1024:
        os.replace(path, STATE / "work.log.1")
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n")


def stop(*_):
    raise SystemExit(0)


if __name__ == "__main__":
    main()
`
