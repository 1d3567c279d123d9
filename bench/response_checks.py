"""Whether a proxy hands on what bench_backend sends and receives: a wrong answer must not count as a cheap one."""
import http.client
import os
import socket
import time


def pattern(n):
    """The body that bench_backend sends."""
    unit = bytes(65 + i % 23 for i in range(23))
    return (unit * (n // 23 + 1))[:n]


def fnv(data):
    s = 2166136261
    for b in data:
        s = ((s ^ b) * 16777619) & 0xFFFFFFFF
    return s


def problems(port):
    """What is wrong with the answers on this port; an empty list when nothing is."""
    found = []
    for check in (_one_connection, _split_and_pipelined):
        try:
            found += check(port)
        except (OSError, http.client.HTTPException) as e:
            found.append(f"{check.__name__.strip('_')}: {type(e).__name__}: {e}")
    return found


def _one_connection(port):
    """Bodies both ways over one connection that the proxy must keep open."""
    found = []
    body = os.urandom(65536)
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        c.connect()
        first = c.sock
        for size in (128, 1, 102400, 1048576, 128, 20000):
            c.request("GET", f"/{size}")
            r = c.getresponse()
            got = r.read()
            if r.status != 200 or got != pattern(size):
                found.append(f"GET {size}: status {r.status}, {len(got)} bytes, damaged")
        for chunked in (False, True):
            if chunked:
                c.request("POST", "/sum", iter([body[:10], body[10:50000], body[50000:]]), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
            else:
                c.request("POST", "/sum", body)
            r = c.getresponse()
            got = r.read()
            want = str(len(body)), f"{fnv(body):08x}"
            if r.status != 200 or (r.headers.get("X-Body-Len"), r.headers.get("X-Body-Sum")) != want or got != pattern(128):
                found.append(f"POST chunked={chunked}: status {r.status}, {r.headers.get('X-Body-Len')} {r.headers.get('X-Body-Sum')}, want {want}")
        if c.sock is not first:
            found.append("the connection was not kept open")
        c.request("GET", "/128", headers={"Connection": "close"})
        if c.getresponse().read() != pattern(128):
            found.append("GET with Connection: close: damaged")
    finally:
        c.close()
    return found


def _split_and_pipelined(port):
    """A request in two segments, then two requests in one."""
    with socket.create_connection(("127.0.0.1", port), 5) as s:
        s.sendall(b"GET /128 HTTP/1.1\r\nHost: x\r\nX-A")
        time.sleep(0.05)
        s.sendall(b": b\r\n\r\n")
        if not _received(s, pattern(128)):
            return ["split request: closed early"]
        s.sendall(b"GET /128 HTTP/1.1\r\nHost: x\r\n\r\nGET /129 HTTP/1.1\r\nHost: x\r\n\r\n")
        got = _received(s, pattern(129))
        if not got:
            return ["pipelined pair: closed early"]
        if got.count(b"HTTP/1.1 200") != 2:
            return ["pipelined pair: not two good answers"]
    return []


def _received(s, end):
    got = b""
    while end not in got:
        part = s.recv(65536)
        if not part:
            return None
        got += part
    return got
