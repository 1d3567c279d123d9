#!/bin/sh
# Creates what the demonstration balances. What is there already is left as it is, whoever has changed it.
set -eu
cd "$(dirname "$0")"

create() {
    status=$(curl -sS -o /tmp/answer -w '%{http_code}' -X PUT -H "Authorization: Bearer $(cat "$TOKEN_FILE")" \
        -H 'Content-Type: application/json' -H 'If-None-Match: *' --data-binary "@$2" "$WEIR_URL$1")
    case $status in
        201) echo "created $1" ;;
        412) echo "$1 is there" ;;
        *)
            echo "$1: $status $(cat /tmp/answer)" >&2
            exit 1
            ;;
    esac
}

create /api/v1/upstreams/demo upstream.json
create /api/v1/listeners/web/routes/demo route.json
