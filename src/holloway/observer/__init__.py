"""From what an agent does to what may be worth remembering. Watching never writes."""
