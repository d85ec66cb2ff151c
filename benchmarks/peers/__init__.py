"""Who is asked beside holloway: other memories, each in an environment of its own, and simple programs."""
