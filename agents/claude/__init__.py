"""Claude over Anthropic's SDK, which nothing else imports.

Importing the SDK costs two seconds and 80 MB. It happens in :mod:`agents.claude.stream` and
:mod:`agents.claude.memory_tool`, which are imported by whoever is about to use them: a worker with its first run, a
script of somebody else; never a web process that only shows pages.
"""
