#!/bin/sh
# Written by `make docs`. Runs holloway's hook where holloway is installed; elsewhere it reads the event and says nothing,
# except for one line to the person when a session starts. Agents take exit code 2 for "block": it always exits 0.
# Usage: plugin_hook.sh EVENT, with the event as JSON on stdin.
pid=
trap 'kill "$pid" 2>/dev/null; exit 0' HUP INT TERM
exec 3<&0 # the shell gives what runs beside it another stdin

run_first() {
  for hook in "$@"; do
    case $hook in /*) ;; *) continue ;; esac
    if [ -f "$hook" ] && [ -x "$hook" ]; then
      "$hook" claude-code <&3 2>/dev/null &
      pid=$!
      if wait "$pid"; then exit 0; fi
    fi
  done
}

name=holloway-hook
run_first "$(command -v $name)" \
  "${UV_TOOL_BIN_DIR:+$UV_TOOL_BIN_DIR/$name}" \
  "${PIPX_BIN_DIR:+$PIPX_BIN_DIR/$name}" \
  "${XDG_BIN_HOME:+$XDG_BIN_HOME/$name}" \
  "${UV_TOOL_DIR:+$UV_TOOL_DIR/holloway/bin/$name}" \
  "${PIPX_HOME:+$PIPX_HOME/venvs/holloway/bin/$name}"
if [ -n "${HOME:-}" ]; then
  data=${XDG_DATA_HOME:-$HOME/.local/share}
  run_first "$HOME/.local/bin/$name" \
    "$data/uv/tools/holloway/bin/$name" \
    "$data/pipx/venvs/holloway/bin/$name" \
    "$HOME/.local/pipx/venvs/holloway/bin/$name" \
    "$HOME/Library/Application Support/pipx/venvs/holloway/bin/$name"
fi
run_first "/opt/homebrew/bin/$name" "/usr/local/bin/$name"

cat <&3 >/dev/null 2>&1
if [ "${1:-}" = SessionStart ]; then
  printf '%s\n' '{"systemMessage": "The holloway plugin does nothing yet, because holloway itself is not installed. Its README says how to install it; then start a new session."}'
fi
exit 0
