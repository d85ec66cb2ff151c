"""The reader: a language model proposes lessons from a finished session, and each is checked against the session."""
