#!/usr/bin/env python3
"""Records which servers an nginx picks for many keys, and in which order it retries them: picks.csv.

Needs nginx with its realip module (Debian's package has it), Python 3, and the ports 29100 to 29103.
Usage: record_picks.py [path of nginx] > picks.csv
"""
import http.client
import random
import socket
import subprocess
import sys
import tempfile
import time

NGINX = sys.argv[1] if len(sys.argv) > 1 else "nginx"
FRONT, PORTS, REFUSING = 29100, (29101, 29102, 29103), 29102

# What becomes of the second of the three servers. "refused" stays in rotation although it refuses connections;
# "failed" is out since a request before; "full" has one connection in progress, and may have one.
STATES = {
    "up": "",
    "down": " down",
    "refused": " max_fails=0",
    "failed": " max_fails=1 fail_timeout=1h",
    "full": " max_conns=1",
}
METHODS = {"ip_hash": "ip_hash;", "hash": "hash $arg_k;", "consistent": "hash $arg_k consistent;"}
WEIGHTS = {"1:1:1": (1, 1, 1), "3:2:1": (3, 2, 1)}


def keys():
    chance = random.Random(20)
    plain = ["key%d" % i for i in range(60)]
    mixed = ["".join(chance.choice("abcdefghijklmnopqrstuvwxyz0123456789-_.") for _ in range(chance.randint(1, 40)))
             for _ in range(60)]
    return plain + mixed


def addresses():
    chance = random.Random(40)
    four = [".".join(str(chance.randint(0, 255)) for _ in range(4)) for _ in range(60)]
    six = [":".join("%x" % chance.randint(0, 0xffff) for _ in range(8)) for _ in range(60)]
    return four + six


def group(name, method, weights, state):
    refuses = state in ("refused", "failed")
    servers = []
    for i, (port, weight) in enumerate(zip(PORTS, weights)):
        extra = STATES[state] if i == 1 else " max_fails=0"
        servers.append("server 127.0.0.1:%d weight=%d%s;" % (port, weight, extra))
    return refuses, "upstream %s { %s %s }" % (name, METHODS[method], " ".join(servers))


def listening(port):
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.bind(("127.0.0.1", port))
    taken.listen(64)
    return taken


def run(method, weights, state):
    """One nginx for each combination, so that every one begins afresh."""
    refuses, upstream = group("g", method, WEIGHTS[weights], state)
    backends = [p for p in PORTS if p != REFUSING or not (refuses or state == "full")]
    silent = listening(REFUSING) if state == "full" else None
    with tempfile.TemporaryDirectory() as home:
        with open(home + "/nginx.conf", "w") as out:
            out.write("""daemon off; pid %s/pid; error_log /dev/null; worker_processes 1; events {}
http { access_log off; client_body_temp_path %s/b; proxy_temp_path %s/p; fastcgi_temp_path %s/f;
       uwsgi_temp_path %s/u; scgi_temp_path %s/s;
%s
server { listen 127.0.0.1:%d; set_real_ip_from 127.0.0.1; real_ip_header X-Client;
  location / { proxy_pass http://g; add_header X-Attempts $upstream_addr always; } }
%s }
""" % (home, home, home, home, home, home, upstream, FRONT,
                "\n".join("server { listen 127.0.0.1:%d; return 204; }" % p for p in backends)))
        nginx = subprocess.Popen([NGINX, "-p", home, "-c", home + "/nginx.conf"], stderr=subprocess.DEVNULL)
        try:
            wait()
            subjects = addresses() if method == "ip_hash" else keys()
            held = hold(subjects, method) if silent else None
            if state == "failed":
                for subject in subjects:
                    attempts(subject, method)
            for subject in subjects:
                ports = [a.rpartition(":")[2] for a in attempts(subject, method).split(", ")]
                print(",".join((method, weights, state, subject, " ".join(ports))))
            if held:
                held.close()
        finally:
            nginx.terminate()
            nginx.wait()
            if silent:
                silent.close()


def wait():
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", FRONT), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit("nginx did not start")


def hold(subjects, method):
    """Leaves one request in progress at the server that does not answer."""
    for subject in subjects:
        client = socket.create_connection(("127.0.0.1", FRONT))
        client.settimeout(0.3)
        client.sendall(("GET /?k=%s HTTP/1.1\r\nHost: a\r\nX-Client: %s\r\n\r\n" % (subject, subject)).encode())
        try:
            client.recv(1)
        except socket.timeout:
            return client
        client.close()
    raise SystemExit("nobody goes to the silent server")


def attempts(subject, method):
    connection = http.client.HTTPConnection("127.0.0.1", FRONT, timeout=10)
    connection.request("GET", "/?k=" + subject, headers={"X-Client": subject})
    tried = connection.getresponse().headers["X-Attempts"]
    connection.close()
    return tried


print("# " + subprocess.run([NGINX, "-v"], capture_output=True, text=True).stderr.strip())
print("method,weights,second,subject,attempts")
for m in METHODS:
    for w in WEIGHTS:
        for s in STATES:
            run(m, w, s)
