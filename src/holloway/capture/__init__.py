"""Agent sessions as events, read from hook payloads, the journal and the transcripts of every agent."""
