#!/bin/sh
# Makes the secrets of docker-compose.yml, each once: what is there already is kept.
set -eu
cd "$(dirname "$0")"

# The folder keeps other users of this machine out. The files can be read by all, since the containers that they are mounted
# into run as users of their own.
mkdir -p secrets
chmod 700 secrets
for name in admin-token postgres-password grafana-password; do
    if [ ! -s "secrets/$name" ]; then
        head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"secrets/$name"
        chmod 644 "secrets/$name"
    fi
done
