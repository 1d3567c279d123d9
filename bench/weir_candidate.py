#!/usr/bin/env python3
"""Weir as a candidate of proxy_bench.py: starts the jar, configures it over REST, scrapes its metrics until it is told to end.

The data directory is a new temporary one. {pidfile} is written when the route is in force, so that load starts no earlier and
the JVM alone is counted, without this script. The scrapes are part of the cost: they are answered by the JVM.

Environment: JAVA_HOME (else java from PATH), WEIR_JAVA_OPTS (flags for the JVM; default -Xmx512m), WEIR_JAR (for --jar).
"""
import argparse
import http.client
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

READY_SECONDS = 120  # a cold JVM that has one CPU for itself, the compiler and the collector takes up to 20 s
STOP_SECONDS = 10
SCRAPE_SECONDS = 5
NAME = "bench"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--jar", default=os.environ.get("WEIR_JAR"))
    ap.add_argument("--port", type=int, required=True, help="port of the listener")
    ap.add_argument("--upstreams", required=True, help="comma list host:port,host:port,...")
    ap.add_argument("--access-log", action="store_true", help="log every request, combined, to a file in the data directory")
    ap.add_argument("--stream", action="store_true", help="pass TCP on instead of requests")
    ap.add_argument("--dir", help="where to make the data directory")
    ap.add_argument("--pidfile", help="gets the pid of the JVM once traffic may come")
    a = ap.parse_args()
    if not a.jar:
        ap.error("no jar: give --jar or set WEIR_JAR")
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sig, lambda *_: sys.exit(0))

    data = tempfile.mkdtemp(prefix="weir-", dir=a.dir)
    control, first = free_ports(2)
    jvm = None
    try:
        jvm = subprocess.Popen(java_command(os.path.abspath(a.jar), data, control, first), cwd=data)
        leave_cpu()
        await_readiness(jvm, control)
        configure(control, a.port, a.upstreams.split(","), a.access_log, a.stream)
        scrape(control)
        if a.pidfile:
            publish(a.pidfile, jvm.pid)
        scrape_until_end(jvm, control)
    finally:
        if jvm:
            end(jvm)
        shutil.rmtree(data, ignore_errors=True)


# ---- the process ---------------------------------------------------------------------------------------------------
def free_ports(count):
    """Ports that were free a moment ago, each a different one."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def java_command(jar, data, control, first):
    home = os.environ.get("JAVA_HOME")
    return [
        os.path.join(home, "bin", "java") if home else "java",
        *shlex.split(os.environ.get("WEIR_JAVA_OPTS", "-Xmx512m")),
        "-jar", jar,
        f"--spring.datasource.url=jdbc:h2:file:{data}/weir",
        "--server.address=127.0.0.1",
        f"--server.port={control}",
        # With an empty database Weir makes a first listener, on a port that somebody else may hold.
        f"--weir.first-listener.port={first}",
    ]


def leave_cpu():
    """Moves this script away from the CPU that proxy_bench.py gave to the proxy; the JVM stays there."""
    others = set(range(os.cpu_count() or 1)) - os.sched_getaffinity(0)
    if others:
        try:
            os.sched_setaffinity(0, others)
        except OSError:
            pass  # not allowed to use any other


def publish(path, pid):
    """Writes the file in one step: whoever sees it can read it."""
    with open(path + ".new", "w") as f:
        f.write(str(pid))
    os.replace(path + ".new", path)


def end(jvm):
    jvm.terminate()
    try:
        jvm.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        jvm.kill()
        jvm.wait()


# ---- REST ----------------------------------------------------------------------------------------------------------
def call(control, method, path, body=None):
    """Returns (status, body) as they come."""
    connection = http.client.HTTPConnection("127.0.0.1", control, timeout=30)
    try:
        if body is None:
            connection.request(method, path)
        else:
            connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    finally:
        connection.close()


def must(control, method, path, body=None):
    """A call that has to succeed; returns the answer's body."""
    try:
        status, answer = call(control, method, path, body)
    except (OSError, http.client.HTTPException) as e:
        sys.exit(f"{method} {path}: {type(e).__name__}: {e}")
    if not 200 <= status < 300:
        sys.exit(f"{method} {path} {'' if body is None else json.dumps(body)}\n  answered {status}: {answer}")
    return answer


def await_readiness(jvm, control):
    end_of_wait, last = time.monotonic() + READY_SECONDS, "no answer"
    while time.monotonic() < end_of_wait:
        if jvm.poll() is not None:
            sys.exit(f"java ended with {jvm.returncode} before it was ready")
        try:
            status, answer = call(control, "GET", "/actuator/health/readiness")
            if status == 200:
                return
            last = f"{status}: {answer}"
        except (OSError, http.client.HTTPException) as e:
            last = f"{type(e).__name__}: {e}"
        time.sleep(0.2)
    sys.exit(f"Weir was not ready after {READY_SECONDS} s; last answer of /actuator/health/readiness: {last}")


def configure(control, port, servers, access_log, stream):
    """One group behind one listener with one route, set up as references.py sets up nginx."""
    for listener in json.loads(must(control, "GET", "/api/v1/listeners"))["items"]:
        must(control, "DELETE", f"/api/v1/listeners/{listener['name']}")
    if stream:
        must(control, "PUT", f"/api/v1/upstreams/{NAME}", {
            "name": NAME, "protocol": "stream", "servers": [{"address": server} for server in servers],
        })
        must(control, "PUT", f"/api/v1/listeners/{NAME}", {
            "name": NAME, "protocol": "tcp", "bind": "127.0.0.1", "port": port, "upstream": NAME,
        })
        return
    must(control, "PUT", f"/api/v1/upstreams/{NAME}", {
        "name": NAME,
        "keepalive": {"connections": 64, "requests": 100000000},
        "servers": [{"address": server} for server in servers],
    })
    listener = {"name": NAME, "protocol": "http", "bind": "127.0.0.1", "port": port,
                "client": {"keepaliveRequests": 100000000}}
    if access_log:
        listener["accessLog"] = {"path": "access.log", "format": "combined"}
    must(control, "PUT", f"/api/v1/listeners/{NAME}", listener)
    must(control, "PUT", f"/api/v1/listeners/{NAME}/routes/all", {
        "name": "all",
        "path": {"type": "prefix", "value": "/"},
        "upstream": NAME,
        "maxBodySize": "16m",
        "requestHeaders": {"set": {"Host": "$host", "X-Forwarded-For": "$proxy_add_x_forwarded_for"}},
    })


def scrape(control):
    must(control, "GET", "/actuator/prometheus")


def scrape_until_end(jvm, control):
    """A scrape that fails ends the run: its figures would be those of a Weir without the cost of metrics."""
    while True:
        try:
            sys.exit(f"java ended with {jvm.wait(SCRAPE_SECONDS)}")
        except subprocess.TimeoutExpired:
            scrape(control)


if __name__ == "__main__":
    main()
