"""The references: nginx and HAProxy with one worker, set up alike. Each function writes a configuration and returns a command."""
import os

STREAM_MODULE = "/usr/lib/nginx/modules/ngx_stream_module.so"


def _nginx(name, d, port, servers, body, load=""):
    path = f"{d}/{name}.conf"
    # As root a worker would drop to another user, who cannot write to the scratch folder.
    user = "user root root; " if os.getuid() == 0 else ""
    upstream = "\n    ".join(f"server {s};" for s in servers)
    with open(path, "w") as f:
        f.write(f"{load}{user}daemon off; worker_processes 1; pid {d}/{name}.pid; error_log {d}/{name}.err warn;\n"
                f"worker_rlimit_nofile 65536;\nevents {{ worker_connections 8192; }}\n{body.replace('@SERVERS@', upstream)}\n")
    return ["nginx", "-c", path, "-p", d, "-e", f"{d}/{name}.err"]


def nginx(d, port, servers, access_log=False, big_buffers=False):
    name = f"nginx-{port}"
    log = f"{d}/{name}.access.log combined" if access_log else "off"
    buffers = "proxy_buffer_size 32k; proxy_buffers 8 32k; proxy_busy_buffers_size 64k;" if big_buffers else ""
    return _nginx(name, d, port, servers, f"""http {{
  access_log {log}; server_tokens off; {buffers}
  keepalive_requests 100000000; keepalive_timeout 75s; client_max_body_size 16m; client_body_buffer_size 128k;
  client_body_temp_path {d}/{name}-cb; proxy_temp_path {d}/{name}-p; fastcgi_temp_path {d}/{name}-f;
  uwsgi_temp_path {d}/{name}-u; scgi_temp_path {d}/{name}-s;
  upstream u {{
    @SERVERS@
    keepalive 64; keepalive_requests 100000000;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }}
  }}
}}""")


def nginx_stream(d, port, servers):
    load = f"load_module {STREAM_MODULE};\n" if os.path.exists(STREAM_MODULE) else ""
    return _nginx(f"nginx-{port}", d, port, servers, f"""stream {{
  upstream u {{
    @SERVERS@
  }}
  server {{ listen 127.0.0.1:{port} backlog=4096; proxy_pass u; tcp_nodelay on; }}
}}""", load)


def _combined_log_of_haproxy():
    """What nginx's combined has, to standard error: an own process of its master would need a syslog."""
    return ("  log stderr format raw local0\n", "  log global\n  http-request capture req.hdr(Referer) len 128\n"
            "  http-request capture req.hdr(User-Agent) len 128\n"
            "  log-format \"%ci - - [%trl] \\\"%HM %HU %HV\\\" %ST %B \\\"%[capture.req.hdr(0)]\\\" \\\"%[capture.req.hdr(1)]\\\"\"\n")


def haproxy(d, port, servers, mode="http", access_log=False):
    log_target, log_lines = _combined_log_of_haproxy() if access_log else ("", "")
    options = {"http": "  option forwardfor\n  http-reuse always\n", "tcp": ""}[mode]
    splice = "  option splice-auto\n" if mode == "tcp" else ""
    listed = "\n".join(f"  server s{i} {s}" for i, s in enumerate(servers))
    path = f"{d}/haproxy-{port}.cfg"
    with open(path, "w") as f:
        f.write(f"global\n  nbthread 1\n  maxconn 4096\n{log_target}"
                f"defaults\n  mode {mode}\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n{splice}"
                f"frontend f\n  bind 127.0.0.1:{port} backlog 4096\n  default_backend b\n{log_lines}"
                f"backend b\n  balance roundrobin\n{options}{listed}\n")
    return ["haproxy", "-f", path, "-db"]


BUILTIN = {
    "nginx": nginx,
    "nginx-log": lambda d, port, servers: nginx(d, port, servers, access_log=True),
    "nginx-bigbuf": lambda d, port, servers: nginx(d, port, servers, big_buffers=True),
    "nginx-stream": nginx_stream,
    "haproxy": haproxy,
    "haproxy-log": lambda d, port, servers: haproxy(d, port, servers, access_log=True),
    "haproxy-tcp": lambda d, port, servers: haproxy(d, port, servers, mode="tcp"),
}
