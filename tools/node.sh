#!/bin/sh
# `sh tools/node.sh [--project] ARGUMENT ...` becomes `node ARGUMENT ...`: same process, so that signals reach the program.
# It takes the Node on PATH if that is 22.12 or newer (with --project: of the project's major version), else the project's
# own, which tools/bring-node.mjs installs once and which is then first on PATH (docs/decisions/0031-which-node-runs.md).
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit
read -r version <"$root/.node-version" || exit
found=$(node --version 2>/dev/null)
major=${found#v}
minor=${major#*.}
major=${major%%.*}
minor=${minor%%.*}

wanted='22.12 or newer'
if [ "$1" = --project ]; then
  shift
  wanted=${version%%.*}
  if [ "$major" = "$wanted" ]; then exec node "$@"; fi
elif [ "${major:-0}" -gt 22 ] || { [ "${major:-0}" -eq 22 ] && [ "$minor" -ge 12 ]; }; then
  exec node "$@"
fi

own=$root/build/nodes/$version
if [ "$("$own/node" --version 2>/dev/null)" != "v$version" ]; then
  if [ "${major:-0}" -lt 20 ]; then
    echo "Install Node $wanted: ${found:-none} is on PATH." >&2
    exit 1
  fi
  node "$root/tools/bring-node.mjs" "$wanted" || exit
fi
PATH=$own:$PATH
export PATH
exec "$own/node" "$@"
