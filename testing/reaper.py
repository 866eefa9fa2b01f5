"""Runs a program and becomes the parent of all processes that it leaves behind, which otherwise is the system's first
process. So their processor time is counted: it is added to that of this process when they end. Signals are passed on,
and the exit code is that of the program. Where the system has no prctl, it only runs the program.
"""
import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def prctl(option, value):
    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (AttributeError, OSError):
        pass


prctl(PR_SET_CHILD_SUBREAPER, 1)
child = os.fork()
if child == 0:
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execvp(sys.argv[1], sys.argv[1:])
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, lambda number, _: os.kill(child, number))
while True:
    ended, status = os.wait()
    if ended == child:
        sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
