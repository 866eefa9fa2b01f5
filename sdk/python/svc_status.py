"""Shows a program on the page of svc. Two lines are enough:

    from svc_status import Status
    Status("mail").ok("3 mails read")

Copy this file beside the program. It needs Python 3.8 and nothing else, and it never uses the network: it writes
`status.json` into a folder, and `svc report` or the runtime sends it. No method raises because of a disk, or because of
a value. The first fault of each kind is one line on standard error, and what the contract would cut is cut here.
docs/sdk.md of svc describes it; your service shows it at /help/sdk. SPDX-License-Identifier: Apache-2.0
"""
import json, math, os, re, sys, threading, time
from contextlib import contextmanager, suppress
from itertools import islice

RUNS = 100
# Readers accept at most 256 KB. A file of at most 240 KB leaves room for what `svc report` adds.
READ_BYTES, FILE_BYTES = 256 * 1024, 240 * 1024
# The intervals at which a waiting program looks for requests, and writes so that the page knows that it is alive.
LOOK_SECONDS, ALIVE_SECONDS = 1, 60

_CONTROLS = re.compile(r"[\x01-\x08\x0b-\x1f\x7f-\x9f]")
_UNWRITABLE = re.compile(r"[\x00\ud800-\udfff]")
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
# Links need a host whose form is known to be valid without a browser: a name in ASCII, or IPv4.
_LINK = re.compile(
    rf"https?://(?:(?!(?:[\w-]+\.)*(?i:xn--))(?:[a-zA-Z0-9_-]+\.)*[a-zA-Z_][a-zA-Z0-9_-]*|{_BYTE}(?:\.{_BYTE}){{3}})"
    r"(?::([0-9]{1,5}))?(?:[/?#][^\s\\\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff]*)?"
)


def _kept(shape, value):
    """The part of a value that the contract keeps (docs/protocol.md 2, 8); None if it keeps nothing. A shape is the
    length of a text, the item and length of a list, the parts of an object (! marks what it needs), or a function."""
    if callable(shape):
        return shape(value)
    if isinstance(shape, int):
        with suppress(Exception):
            if value is None or isinstance(value, (dict, list, tuple, set)):
                return None
            # The longest text of the contract has 500 characters, so nobody waits for one of 10 MB.
            return _CONTROLS.sub("", _UNWRITABLE.sub("\ufffd", str(value)[:10_000]))[:shape]
        return None
    if isinstance(shape, tuple):
        item, most = shape
        items = (_kept(item, one) for one in value) if isinstance(value, (list, tuple)) else None
        return items and list(islice((one for one in items if one is not None), most))
    if isinstance(value, dict):
        found = {key: _kept(part, value.get(key.rstrip("!"))) for key, part in shape.items()}
        is_whole = all(part is not None or not key.endswith("!") for key, part in found.items())
        return {key.rstrip("!"): part for key, part in found.items() if part is not None} if is_whole else None


def _number(value, least=-math.inf, most=math.inf, whole=False):
    with suppress(Exception):
        number = math.nan if isinstance(value, (bool, str, bytes)) else float(value)
        if least <= number <= most and not math.isinf(number):
            is_safe = number.is_integer() and abs(number) < 2**53
            return int(number) if is_safe else None if whole else number
    return None


def _costs(value):
    pairs = [(_word(200)(key), _amount(usd)) for key, usd in (list(value.items()) if isinstance(value, dict) else ())]
    return dict(islice(((model, usd) for model, usd in pairs if model and usd is not None), 50)) or None


def _link(value):
    found = _LINK.fullmatch(value) if isinstance(value, str) and len(value) <= 2000 else None
    return value if found and int(found.group(1) or 0) <= 65535 else None


def _panel(value):
    parts = _PARTS.get(str(value.get("type"))) if isinstance(value, dict) else None
    return parts and _kept({"type!": 200, "title!": 200, **parts}, value)


# A heading or cell that cannot be shown is empty, so that its neighbours keep their places.
_cell = lambda value: _kept({"text!": 300, "url": _link} if isinstance(value, dict) else 300, value) or ""
_word = lambda most: lambda value: _kept(most, value) or None
_level = lambda value: value if value in (None, "ok", "info", "warn", "bad") else "info"
_amount = lambda value: _number(value, 0)
_count = lambda value: _number(value, 0, whole=True)
_share = lambda value: _number(value, 0, 1)
_STATE = {"level!": _level, "label": 80, "detail": 300}
_HEALTH = {"name!": 200, "level!": _level, "detail": 300}
_GAUGE = {"name!": 200, "used!": _number, "mark": _number, "detail": 300}
_NUMBERS = {"started": _count, "ended": _count, "cost_usd": _amount, "output_tokens": _count, "models": _costs}
_SUBJECTS = {"subjects": ({"title!": 200, "url": _link, "share": _share}, 20)}
_RUN = {"id!": _word(190), "kind": 40, "status": 20, **_NUMBERS, **_SUBJECTS, "log": _word(190)}
_PARTS = {
    "list": {"items!": ({"title!": 200, "url": _link, "meta": 200, "badge": 200, "level": _level}, 200)},
    "table": {"columns!": (lambda heading: _kept(200, heading) or "", 12), "rows!": ((_cell, 12), 200)},
    "kv": {"items!": ({"label!": 200, "value!": 300}, 200)},
    "text": {"lines!": (500, 200)},
}


def _read_json(path):
    """The value in a regular file; None if it is missing. A pipe is refused, because opening it would wait."""
    if not os.path.exists(path):
        return None
    if not os.path.isfile(path) or os.path.getsize(path) > READ_BYTES:
        raise ValueError(f"it is not a file of at most {READ_BYTES} bytes")
    with open(path, encoding="utf-8-sig") as file:
        value = json.loads(file.read(), parse_constant=int)
    if not isinstance(value, dict):
        raise ValueError("it holds no JSON object")
    return value


def _stamp(path):
    """A value that changes whenever the file is written or replaced; None if the file is missing."""
    with suppress(OSError, ValueError):
        facts = os.stat(path)
        return facts.st_ino, facts.st_mtime_ns, facts.st_size
    return None


_now = lambda: max(0, int(time.time()))
_json = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
_opened, _lock = {}, threading.RLock()
if hasattr(os, "register_at_fork"):
    # Another thread may hold the lock when the process forks. In the new process, that thread is not there.
    os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.RLock()))


class Run:
    """A piece of work, from `Status.run`. With `with` it ends as `ok`, or as `failed` after an exception.

    Set `cost_usd`, `output_tokens` and `models` (USD by model) whenever they are known; 0 stands for unknown. They are
    written with the next call, at the latest by `end`."""

    def __init__(self, status, kind, title):
        subjects = None if title is None else [{"title": title}]
        self._status = status
        self._told = {"kind": kind, "status": "running", "started": _now(), "subjects": subjects}
        self.id = os.urandom(8).hex()
        self.cost_usd, self.output_tokens, self.models = 0, 0, {}

    def end(self, status="ok"):
        """Ends the run. Only the first call counts."""
        with self._status._change():
            if "ended" not in self._told:
                self._told.update(status=status, ended=max(self._told["started"], _now()))
                runs = self._status._runs
                runs[:] = [self._facts() if run is self else run for run in runs]

    def __enter__(self): return self

    def __exit__(self, kind, error, trace):
        self.end("ok" if kind is None else "failed")

    def _facts(self):
        sums = {"cost_usd": self.cost_usd or None, "output_tokens": self.output_tokens or None, "models": self.models}
        return _kept(_RUN, {"id": self.id, **self._told, **sums}) or {}


class Status:
    """The status of a program: `status.json` in SVC_STATE_DIR, else in `folder`, else in the current folder. The same
    folder gives the same object in the whole program. Each call writes the whole file."""

    def __new__(cls, folder=None):
        place = str(folder)
        with suppress(Exception):
            place = os.path.realpath(os.environ.get("SVC_STATE_DIR") or folder or ".")
            with suppress(Exception), open(os.path.join(os.environ["SVC_AGENT_DIR"], "svc.agent.yaml")) as manifest:
                # An agent that was connected by hand has its status file in its own folder, also under the runtime.
                if re.search(r"^status: *status\.json\b", manifest.read(), re.M):
                    place = os.path.realpath(os.environ["SVC_AGENT_DIR"])
            os.makedirs(place, exist_ok=True)
        with _lock:
            if place not in _opened:
                _opened[place] = super().__new__(cls)
                _opened[place]._open(place)
            return _opened[place]

    def _open(self, place):
        named = lambda name, usual: os.environ.get(name) or os.path.join(place, ".svc", usual)
        self._pause_file, self._run_now_file = named("SVC_PAUSE_FILE", "paused"), named("SVC_RUN_NOW_FILE", "run_now")
        self._settings_file = named("SVC_SETTINGS_FILE", "settings.json")
        self._folder, self._file = place, os.path.join(place, "status.json")
        self._state, self._runs, self._parts = None, [], {"health": {}, "gauges": {}, "panels": {}}
        # The stamps of the file before this program wrote last, and after.
        self._said, self._mine, self._written_at, self._turn = set(), (), 0, 0
        self._settings, self._asked = {}, False
        self._saw_paused, self._saw_settings = self.paused, _stamp(self._settings_file)
        with suppress(Exception):
            self._begin_again()

    def ok(self, label, detail=None): self._set("ok", label, detail)
    def info(self, label, detail=None): self._set("info", label, detail)
    def warn(self, label, detail=None): self._set("warn", label, detail)
    def bad(self, label, detail=None): self._set("bad", label, detail)

    def health(self, name, level, detail=None):
        """One thing that can be well or ill beside the state. The level None removes it."""
        self._put("health", _HEALTH, {"name": name, "level": level, "detail": detail}, level is None)

    def gauge(self, name, used, mark=None, detail=None):
        """A share from 0 to 1 or another figure, with a mark that it should not pass. None removes it."""
        self._put("gauges", _GAUGE, {"name": name, "used": used, "mark": mark, "detail": detail}, used is None)

    def panel(self, panel):
        """A part of the page of the type list, table, kv or text (docs/protocol.md 2.3). Its title names it."""
        self._put("panels", _panel, panel, False)

    def run(self, kind=None, title=None):
        """Begins a run and returns it. The page shows it as running until its `end`."""
        run = Run(self, kind, title)
        with self._change():
            self._keep(run)
        return run

    @property
    def paused(self):
        """True while a person wants the program to start nothing."""
        return os.path.exists(self._pause_file)

    def take_run_now(self):
        """True once for each time that somebody asked for a run."""
        asked, self._asked = self._asked, False
        with self._change(writes=False):
            if os.path.exists(self._run_now_file):
                os.unlink(self._run_now_file)
                return True
        return asked

    @property
    def settings(self):
        """The values of the settings. While their file cannot be read, the last ones stay."""
        try:
            self._settings = _read_json(self._settings_file) or {}
        except Exception as error:
            self._say("settings", f"the last settings stay, {self._settings_file} cannot be read: {error}")
        return dict(self._settings)

    def wait(self, seconds):
        """Waits, looks every second, and says why it ended: time, paused, resumed, settings or run_now. It also tells
        what changed since the last wait ended. A request for a run is taken by this, and stays while paused."""
        until = time.monotonic() + (seconds if seconds == math.inf else _number(seconds, 0) or 0)
        self._asked = False
        while True:
            why, left = self._look(), until - time.monotonic()
            if why or left <= 0:
                return why or "time"
            time.sleep(min(left, LOOK_SECONDS))

    def _look(self):
        paused, settings = self.paused, _stamp(self._settings_file)
        if paused != self._saw_paused:
            self._saw_paused = paused
            return "paused" if paused else "resumed"
        if settings != self._saw_settings:
            self._saw_settings = settings
            return "settings"
        if not paused and self.take_run_now():
            self._asked = True
            return "run_now"
        if self._mine and time.monotonic() - self._written_at >= ALIVE_SECONDS:
            with self._change():
                pass
        return None

    def _set(self, level, label, detail):
        with self._change():
            self._state = _kept(_STATE, {"level": level, "label": label, "detail": detail})

    def _put(self, part, shape, value, removes):
        """Puts an item in the place of the one with its name, or removes that one."""
        with self._change():
            named, items = value if isinstance(value, dict) else {}, self._parts[part]
            key, item = _kept(200, named.get("title" if part == "panels" else "name")), _kept(shape, value)
            if item is None and not removes:
                self._say(part, f"left out of {part}, since it lacks what it needs: {key}")
            if item is None:
                items.pop(key, None)
            elif key in items or len(items) < (20 if part == "panels" else 50):
                items[key] = item

    def _keep(self, run):
        """Adds a run, and drops the oldest one that is over if there are too many. Open runs stay until they end."""
        self._runs.append(run)
        if len(self._runs) > RUNS:
            self._runs.remove(next((one for one in self._runs if isinstance(one, dict)), self._runs[0]))

    def _begin_again(self):
        """Takes over the runs of an earlier process. Its open runs count as ended when it last wrote."""
        for run in _kept((_RUN, RUNS), (_read_json(self._file) or {}).get("runs")) or ():
            last = max(run.get("started", 0), min(_now(), int(os.stat(self._file).st_mtime)))
            self._keep(run if "ended" in run else {**run, "status": "interrupted", "ended": last})

    def _content(self):
        runs = [run for run in (one if isinstance(one, dict) else one._facts() for one in self._runs) if run]
        parts = {part: list(items.values()) for part, items in self._parts.items()}
        parts["active"] = [{key: run[key] for key in run if key in ("kind", "started", "subjects")}
                           for run in runs if "ended" not in run][-50:]
        parts["runs"] = runs[::-1]
        texts, room = [f'"state":{_json(self._state)}'] if self._state else [], FILE_BYTES
        # The parts that matter most take their room first. Among the runs, these are the newest ones.
        for part in ("health", "active", "gauges", "runs", "panels"):
            kept = []
            for text in map(_json, parts[part]):
                size = len(text.encode()) + 1
                if size <= room:
                    room -= size
                    kept.append(text)
                else:
                    self._say("room", f"{self._file} may have {FILE_BYTES} bytes: what did not fit was left out")
            if kept:
                texts.append(f'"{part}":[{",".join(kept[::-1] if part == "runs" else kept)}]')
        return ("{" + ",".join(texts) + "}\n").encode()

    def _write(self):
        """Writes a new file beside the old one and renames it, so that nobody reads half a file. The handler of a
        signal may write meanwhile; then its newer content stays."""
        self._turn += 1
        turn, content = self._turn, self._content()
        beside = os.path.join(self._folder, f".status.json.{os.urandom(8).hex()}.new")
        self._written_at = time.monotonic()
        os.makedirs(self._folder, exist_ok=True)
        try:
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            mine, found = self._mine, _stamp(self._file)
            if turn == self._turn:
                if mine and found and found not in mine:
                    self._say("second", f"another program writes {self._file} too: each needs a folder of its own")
                self._mine = (found, _stamp(beside))
                os.replace(beside, self._file)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)

    @contextmanager
    def _change(self, writes=True):
        """Writes after a change. An error must not stop the program, so it becomes one line on standard error."""
        try:
            with _lock:
                yield
                if writes:
                    self._write()
        except Exception as error:
            self._say(type(error), f"{self._file}: {type(error).__name__}: {error}")

    def _say(self, kind, line):
        if kind not in self._said and sys.stderr is not None:
            self._said.add(kind)
            with suppress(Exception):
                print("svc_status:", " ".join(line.split())[:500], file=sys.stderr, flush=True)
