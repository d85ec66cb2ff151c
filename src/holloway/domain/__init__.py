"""The nouns: memory, event, session, work, and the ports that clocks, embedders and writers fit. No I/O."""
