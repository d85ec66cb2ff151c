"""The program that an agent's host runs for each event: a short process that captures the event and answers it."""
