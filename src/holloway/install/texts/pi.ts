const findSession = (context: any) => {
  const file = context.sessionManager?.getSessionFile?.() || ""
  const name = file.split(/[\\/]/).pop() // TIME_ID.jsonl
  return { id: name.replace(/^[^_]*_/, "").replace(/\.jsonl$/, "") || "pi", file }
}

const joinText = (content: any) =>
  (Array.isArray(content) ? content : [])
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n")

export default function (pi: any) {
  let brief: any

  const call = (name: string, context: any, fields: object) => {
    const session = findSession(context)
    return callHook(name, session.id, context.cwd, { transcript_path: session.file, ...fields })
  }
  const start = (context: any, source: string) => (brief = call("SessionStart", context, { source }))

  pi.on("before_agent_start", async (event: any, context: any) => {
    const systemText = await (brief ?? start(context, "startup"))
    const promptText = await call("UserPromptSubmit", context, { prompt: event.prompt })
    const systemPrompt = systemText ? event.systemPrompt + "\n\n" + systemText : event.systemPrompt
    const message = { customType: "holloway", content: promptText, display: true }
    return promptText ? { systemPrompt, message } : { systemPrompt }
  })

  pi.on("tool_result", async (event: any, context: any) => {
    const used = { tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId }
    const output = joinText(event.content)
    const text = event.isError
      ? await call("PostToolUseFailure", context, { ...used, error: output })
      : await call("PostToolUse", context, { ...used, tool_response: output })
    return text ? { content: [...event.content, { type: "text", text }] } : undefined
  })

  pi.on("agent_end", async (_event: any, context: any) => {
    await call("Stop", context, {})
  })
  pi.on("session_compact", async (_event: any, context: any) => {
    start(context, "compact")
  })
  pi.on("session_shutdown", async (_event: any, context: any) => {
    brief = undefined
    await call("SessionEnd", context, { reason: "other" })
  })
}
