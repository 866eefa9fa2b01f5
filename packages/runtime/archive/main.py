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
    try:
        asked = subprocess.Popen([node, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            out = asked.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            asked.kill()
            asked.communicate()
            return 0
        return int(out.decode("ascii", "replace").strip().lstrip("v").split(".")[0])
    except (OSError, ValueError):
        return 0


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
    seen = []
    for node in candidates():
        if node in seen:
            continue
        seen.append(node)
        if major(node) >= LEAST:
            if sys.argv[1:2] != ["exec"]:  # the command of a job gets the value of its own environment
                os.environ.setdefault("MALLOC_ARENA_MAX", "1")  # as the shell's line does: glibc keeps an arena for each thread
            os.environ["SVC_STARTED_AS"] = json.dumps(started())
            os.execv(node, [node] + program(archive) + sys.argv[1:])
    sys.stderr.write(
        "svc needs Node %d or newer, and found %s. Install it, or name one in SVC_NODE.\n"
        % (LEAST, "only older: " + ", ".join(seen) if seen else "none")
    )
    sys.exit(127)


main()
