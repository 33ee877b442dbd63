#!/bin/sh
# Keeps the board on this computer's screen, whatever starts first and whatever ends:
#
#   kiosk.sh https://board.example.org/ [OPTION OF CHROMIUM ...]
#
# Needs curl, pgrep and Chromium (CHROMIUM_PATH, if it is not called chromium).
set -u
board=${1:?'give the address of the board'}
shift

# Any answer will do: the proxy's page tries again by itself. Of Chromium's own error pages, that of an unreachable
# address is tried again ever more rarely, and that of a bad certificate (a clock that is not set yet) never.
wait_for_an_answer() {
  said=
  until why=$(curl --silent --show-error --output /dev/null --max-time 20 "$board" 2>&1); do
    [ "$why" = "$said" ] || echo "waiting for $board: $why" >&2
    said=$why
    sleep 1
  done
}

# A profile of this start alone: there is no lock, no crash and no half-written file in it of the start before. On a
# computer that speaks another language, Chromium would offer a translation, over the connection status.
open_browser() {
  until profile=$(mktemp -d); do sleep 5; done
  mkdir "$profile/Default"
  echo '{"translate": {"enabled": false}}' >"$profile/Default/Preferences"
  TMPDIR=$profile setsid "${CHROMIUM_PATH:-chromium}" --kiosk --force-dark-mode --noerrdialogs --no-first-run \
    --no-default-browser-check --password-store=basic --disable-features=SpareRendererForSitePerProcess \
    --user-data-dir="$profile" "$@" "$board" &
  browser=$!
}

close_browser() {
  kill -s KILL -- "-$browser" "$browser" 2>/dev/null
  wait "$browser"
  rm -rf "$profile"
}

page_runs() {
  pgrep -g "$browser" -af -- --type=renderer | grep -qv -- --top-chrome-webui
}

# Until Chromium ends, or the process of its page, for which it would show "Aw, Snap!" for ever.
watch_browser() {
  until page_runs; do
    kill -0 "$browser" 2>/dev/null || return
    sleep 1
  done
  echo "showing $board" >&2
  while page_runs; do sleep 2; done
}

browser=
trap '[ "$browser" ] && close_browser; exit 0' TERM INT HUP
while :; do
  wait_for_an_answer
  open_browser "$@"
  watch_browser
  echo 'Chromium or its page has ended; starting it again' >&2
  close_browser
  browser=
  sleep 1
done
