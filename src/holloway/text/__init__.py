"""Pure work on strings: identifiers, commands, failures, tokens, bounds."""
