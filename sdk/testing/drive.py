"""Makes calls of svc_status.py for the tests. Each line on standard input is a call, and each answer is a line."""
import json
import math
import os
import signal
import sys
import threading
import time
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))
import svc_status
from svc_status import Status

SPECIAL = {"nan": math.nan, "infinity": math.inf, "huge": 10**400, "nothing": None}


def value_of(given):
    if isinstance(given, list):
        return [value_of(one) for one in given]
    if not isinstance(given, dict):
        return given
    if "$" in given:
        return SPECIAL[given["$"]]
    if "$text" in given:
        return given["$text"] * given["times"]
    if "$error" in given:
        return ValueError(given["$error"])
    return {key: value_of(one) for key, one in given.items()}


def hammer(status, times):
    """Two threads call at once, and another one reads."""
    torn = []

    def call(name):
        for number in range(times):
            status.health(name, "ok", f"{name} {number}")
            with status.run(name):
                pass

    def read():
        while any(one.is_alive() for one in calling):
            time.sleep(0.0002)
            try:
                with open(status._file, encoding="utf-8") as file:
                    json.load(file)
            except FileNotFoundError:
                pass
            except ValueError as error:
                torn.append(str(error))

    calling = [threading.Thread(target=call, args=(name,)) for name in ("one", "two")]
    for one in calling:
        one.start()
    read()
    return torn


def fork(status):
    """Forks while another thread writes. The child calls after the parent has written once more, so that it must notice
    the parent. Returns the child's exit code."""
    over = threading.Event()
    status.ok("parent")

    def write():
        while not over.is_set():
            status.ok("parent")

    thread = threading.Thread(target=write)
    thread.start()
    time.sleep(0.02)
    with warnings.catch_warnings():
        # Since Python 3.12, a fork beside other threads gives a warning. Such a fork is what is tried here.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        written = svc_status._stamp(status._file)
        while svc_status._stamp(status._file) == written:
            time.sleep(0.001)
        status.ok("child")
        with status.run("in the child"):
            pass
        os._exit(7)
    code = os.WEXITSTATUS(os.waitpid(child, 0)[1])
    over.set()
    thread.join()
    return code


def fail(status):
    """An exception inside a run, which goes on to the caller."""
    try:
        with status.run("fails"):
            raise KeyError("inside")
    except KeyError as error:
        return str(error)


def move_clock(_status, seconds):
    before = time.time
    svc_status.time.time = lambda: before() + seconds


def move_timer(_status, seconds):
    before = time.monotonic
    svc_status.time.monotonic = lambda: before() + seconds


def interrupt(status, times):
    """A signal's handler calls while the program calls."""
    signals = []

    def handle(*_):
        signals.append(1)
        status.warn(f"signal {len(signals)}")
        signal.setitimer(signal.ITIMER_REAL, 0.001 + len(signals) % 7 / 5000)

    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    for number in range(times):
        status.health("number", "ok", number)
    signal.setitimer(signal.ITIMER_REAL, 0)
    status.health("number", "ok", "end")
    return len(signals)


class Meanwhile:
    """Does something while a call waits."""

    def __init__(self, seconds, path):
        threading.Timer(seconds, lambda: open(path, "w").close()).start()


def main():
    runs, status = [], None
    for line in sys.stdin:
        name, *args = value_of(json.loads(line))
        result = None
        if name == "open":
            runs, status = [], Status(*args)
        elif name == "as_user":
            os.setuid(*args)
        elif name == "run":
            runs.append(status.run(*args))
        elif name == "end":
            result = runs[args[0] % len(runs)].end(*args[1:]) if runs else None
        elif name == "set":
            if runs:
                setattr(runs[args[0] % len(runs)], args[1], args[2])
        elif name == "later":
            Meanwhile(*args)
        elif name in ("hammer", "fork", "fail", "interrupt", "move_clock", "move_timer"):
            result = globals()[name](status, *args)
        elif name in ("paused", "settings"):
            result = getattr(status, name)
        else:
            result = getattr(status, name)(*args)
        print(json.dumps(result), flush=True)


main()
