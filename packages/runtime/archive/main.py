# Finds Node and becomes it, on this very file and with the same process id.
import json
import os
import shutil
import subprocess
import sys

LEAST = 20
PLACES = ["/usr/local/bin/node", "/usr/bin/node", "/usr/bin/nodejs", "/opt/homebrew/bin/node", "/opt/node/bin/node", "/snap/bin/node"]


def candidates():
    if os.environ.get("SVC_NODE"):
        yield os.environ["SVC_NODE"]
    for name in ("node", "nodejs"):
        found = shutil.which(name)
        if found:
            yield found
    for place in PLACES:
        if os.access(place, os.X_OK):
            yield place


def major(node):
    # The major version of this Node, and why it does not say one.
    try:
        asked = subprocess.Popen([node, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = asked.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            asked.kill()
            asked.communicate()
            return None, "no answer in 20 s"
    except OSError as error:
        return None, error.strerror
    try:
        return int(out.decode("ascii", "replace").strip().lstrip("v").split(".")[0]), None
    except ValueError:
        said = (err or out).decode("utf-8", "replace").strip().splitlines()[:1]
        return None, ": ".join(["exit code %d" % asked.returncode] + [line[:120] for line in said])


def program(archive):
    starter = os.path.join(os.path.dirname(archive), "start.cjs")
    if sys.argv[1:2] == ["run"] and os.path.basename(archive) == "svc.pyz" and os.path.exists(starter):
        return [starter]
    return ["-e", "require(process.argv[1])", archive]


def started():
    # The words that a hint of svc begins with, as they were typed.
    python = getattr(sys, "orig_argv", [""])[0] or sys.executable
    name = os.path.basename(python)
    found = shutil.which(name)
    same = found and os.path.exists(python) and os.path.samefile(found, python)
    return [name if same else python, sys.argv[0]]


def main():
    archive = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
    seen, older, failing = [], [], []
    for node in candidates():
        if node in seen:
            continue
        seen.append(node)
        version, why = major(node)
        if version is None:
            failing.append("%s does not start (%s)." % (node, why))
        elif version < LEAST:
            older.append(node)
        else:
            if sys.argv[1:2] != ["exec"]:  # the command of a job gets the value of its own environment
                os.environ.setdefault("MALLOC_ARENA_MAX", "1")  # as the shell's line does: glibc keeps an arena for each thread
            os.environ["SVC_STARTED_AS"] = json.dumps(started())
            os.execv(node, [node] + program(archive) + sys.argv[1:])
    found = "only older: " + ", ".join(older) if older else "none that starts" if failing else "none"
    more = " ".join([""] + failing)
    sys.stderr.write("svc needs Node %d or newer, and found %s.%s Install it, or name one in SVC_NODE.\n" % (LEAST, found, more))
    sys.exit(127)


main()
