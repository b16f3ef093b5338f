"""What is wrong with the files of a store for the agents that read them, worked out from what is there now.

All but :mod:`memories.health.looking` are pure functions over texts and paths; nothing here writes.
"""
