const findPrompt = (parts) => {
  const typed = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
  const prompt = typed.join("\n").trim()
  return /^"[^"]*"$/.test(prompt) ? prompt.slice(1, -1) : prompt // `run` puts its arguments in quotation marks
}

export const Holloway = async ({ directory }) => {
  const briefs = new Map() // by session: the same text in each request, so that the prompt cache stays valid

  const findBrief = (sessionId) => {
    if (!briefs.has(sessionId)) briefs.set(sessionId, callHook("SessionStart", sessionId, directory, { source: "startup" }))
    return briefs.get(sessionId)
  }

  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      await findBrief(sessionID)
      const text = await callHook("UserPromptSubmit", sessionID, directory, { prompt: findPrompt(parts) })
      if (!text) return
      const id = "prt_zz" + Date.now().toString(36)
      parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },

    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const brief = sessionID ? await findBrief(sessionID) : ""
      if (brief) system.push(brief)
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, result) => {
      const status = result.metadata?.exit
      const call = { tool_name: tool, tool_input: args, tool_use_id: callID }
      const text = status
        ? await callHook("PostToolUseFailure", sessionID, directory, { ...call, error: "Exit code " + status + "\n" + result.output })
        : await callHook("PostToolUse", sessionID, directory, { ...call, tool_response: result.output })
      if (text && typeof result.output === "string") result.output += "\n\n" + text
    },

    event: async ({ event }) => {
      const sessionId = event.properties?.sessionID
      if (!sessionId || !briefs.has(sessionId)) return
      if (event.type === "session.idle") await callHook("Stop", sessionId, directory, {})
      if (event.type === "session.compacted")
        briefs.set(sessionId, callHook("SessionStart", sessionId, directory, { source: "compact" }))
      if (event.type === "session.deleted") await callHook("SessionEnd", sessionId, directory, { reason: "other" })
    },
  }
}
