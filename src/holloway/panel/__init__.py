"""Web panel: pages on which a person sees, corrects and teaches memories; loopback only, optional."""
