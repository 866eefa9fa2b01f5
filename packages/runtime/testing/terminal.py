# Runs a command at a new terminal, types a line when it asks, and prints what the terminal showed. Arguments: text to wait for, line, command...
import fcntl
import os
import pty
import struct
import sys
import termios

wait, line, command = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
shown, typed = b"", False
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if not typed and wait in shown:
        typed = True
        os.write(fd, line + b"\r")
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else 0)
