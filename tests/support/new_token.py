"""Makes an agent that runs elsewhere, in the data folder that the environment names, and says how to call as it.

``python -m tests.support.new_token`` prints the slug of its store and a token that may write.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.shell import environment


def token_at(data: Path) -> tuple[str, str]:
    """Run this in a process of its own, beside the server that has the data folder; return slug and token."""
    program = [sys.executable, "-m", "tests.support.new_token"]
    said = subprocess.run(program, env=environment(data), capture_output=True, text=True, check=True, timeout=60)
    slug, secret = said.stdout.split()
    return slug, secret


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "memdash.settings"
    import django

    django.setup()
    from django.contrib.auth.models import User

    from agents.making import create_agent
    from agents.models import Place, Scope
    from agents.tokens import make_token

    agent = create_agent(name="Helper", place=Place.API)
    user = User.objects.filter(is_superuser=True).earliest("pk")
    _, secret = make_token(agent, agent.store, "laptop", Scope.WRITE, user=user, expires_at=None)
    print(agent.store.slug, secret)


if __name__ == "__main__":
    main()
