// $mark
// Passes the events of $label to holloway and its responses to the agent. It never throws, and it waits for no longer
// than the limit of an event; without holloway it does nothing.
import { spawn } from "node:child_process"

const HOOK = $command
const LIMITS_S = $limits

const readContext = (output) => {
  try {
    return JSON.parse(output).hookSpecificOutput?.additionalContext || ""
  } catch {
    return ""
  }
}

const callHook = (name, sessionId, folder, fields) =>
  new Promise((resolve) => {
    let output = ""
    let child
    const finish = (context) => {
      clearTimeout(timer)
      resolve(context)
    }
    const timer = setTimeout(() => {
      child?.kill()
      finish("")
    }, LIMITS_S[name] * 1000)
    try {
      child = spawn(HOOK[0], HOOK.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
      child.on("error", () => finish(""))
      child.on("close", () => finish(readContext(output)))
      child.stdout.on("data", (chunk) => (output += chunk))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: name, session_id: sessionId, cwd: folder, ...fields }))
    } catch {
      finish("")
    }
  })

