"""What an agent's host runs: a short process that notes an event and answers it; and setting that up."""
