# Runs a command at a new terminal and answers its questions in turn. Arguments: JSON [[text to wait for, line], ...], command...
import fcntl
import json
import os
import pty
import struct
import sys
import termios

answers, command = json.loads(sys.argv[1]), sys.argv[2:]
rows, columns = (0, 0) if os.environ.get("SVC_TEST_NO_SIZE") else (40, 200)
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(command[0], command)
shown, seen = b"", 0
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if answers and answers[0][0].encode() in shown[seen:]:
        seen = len(shown)
        line = answers.pop(0)[1]
        os.write(fd, line.encode() if line == "\x03" else line.encode() + b"\r")
sys.stdout.buffer.write(shown)
os.waitpid(pid, 0)
