"""What agents did, as events: payloads of hooks, the journal, transcripts of every agent."""
