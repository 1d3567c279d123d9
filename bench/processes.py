"""The processes of a run: started on one CPU, waited for, their CPU time counted, stopped (Linux, /proc)."""
import atexit
import os
import re
import signal
import socket
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")
STOP_SECONDS = 15  # a JVM that drains its listeners takes a few seconds
_started = []


class Failed(SystemExit):
    """Ends the run with a message."""


def start(command, cpu, log):
    """Starts a command in its own process group, on one CPU unless cpu is None; its output goes to the file log."""
    def child():
        os.setpgid(0, 0)
        if cpu is not None:
            os.sched_setaffinity(0, {cpu})
    with open(log, "ab") as out:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, preexec_fn=child)
        except OSError as e:
            raise Failed(f"cannot start {command[0]}: {e.strerror}") from e
    process.log = log
    _started.append(process)
    return process


def stop(process):
    """Asks the whole group to end; kills what is left, also when the first process of the group has gone before the others."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(STOP_SECONDS)
    except (subprocess.TimeoutExpired, ProcessLookupError):
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    if process in _started:
        _started.remove(process)


@atexit.register
def stop_all():
    for process in reversed(_started[:]):
        stop(process)


def died(process, what):
    with open(process.log, errors="replace") as f:
        tail = "".join(f.readlines()[-25:])
    return Failed(f"{what}\n--- end of {process.log}:\n{tail}")


def check_free(port):
    """Refuses a port that something listens on: the run would measure a stranger."""
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of an earlier run in TIME_WAIT do no harm
        try:
            s.bind(("127.0.0.1", port))
        except OSError as e:
            raise Failed(f"port {port} cannot be used ({e.strerror}); see --port and --backend-port") from e


def wait_ready(process, port, seconds, pid_file=None):
    """Waits until pid_file is written (if there is to be one) and the port accepts. Returns the pid to be counted."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise died(process, f"a process ended with {process.returncode} before it was ready on port {port}")
        if pid_file is None or os.path.exists(pid_file):
            try:
                socket.create_connection(("127.0.0.1", port), 0.3).close()
                break
            except OSError:
                pass
        time.sleep(0.1)
    else:
        raise died(process, f"nothing was ready on port {port} after {seconds} s")
    if pid_file is None:
        return process.pid
    with open(pid_file) as f:
        return int(f.read())


def _stat(pid):
    """The fields of /proc/PID/stat from the state (field 3) on."""
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()


def tree(pid):
    """pid and its descendants."""
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            children.setdefault(int(_stat(entry)[1]), []).append(int(entry))
        except OSError:
            pass
    todo, found = [pid], []
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def cpu_ticks(pid):
    """{pid: (user, system)} in clock ticks, for a process and its descendants."""
    ticks = {}
    for each in tree(pid):
        try:
            fields = _stat(each)
        except OSError:
            continue
        if fields[0] not in "ZX":
            ticks[each] = int(fields[11]), int(fields[12])
    return ticks


def cpu_seconds(before, after):
    """(user, system) seconds between two answers of cpu_ticks."""
    gone = before.keys() - after.keys()
    if gone or not after:
        raise Failed(f"processes {sorted(gone)} ended while they were measured")
    return tuple(sum(ticks[i] - before.get(pid, (0, 0))[i] for pid, ticks in after.items()) / TICK for i in (0, 1))


def rss_kb(pid):
    total = 0
    for each in tree(pid):
        try:
            with open(f"/proc/{each}/status") as f:
                m = re.search(r"VmRSS:\s+(\d+)", f.read())
        except OSError:
            continue
        total += int(m.group(1)) if m else 0
    return total
