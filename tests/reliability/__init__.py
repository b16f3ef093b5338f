"""Real processes, killed without warning."""
