"""``python -m agents.demo``: serve the scripted demo model until stopped, for scripts of one's own.

Prints the address on the first line of standard output. A client uses it as its base URL, with any key and the model
``demo/support-desk`` or ``demo/code-reviewer``. ``--fault`` makes it misbehave, to see what a client does then;
``--also`` lets a client be drilled that asks for another model.
"""

import argparse
import time
from collections.abc import Sequence

from agents.demo import LABEL, MODELS, SUPPORT_DESK
from agents.demo.faults import MODES, Fault
from agents.demo.server import PACE, DemoServer


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse ``arguments``, serve, and return when interrupted."""
    parser = argparse.ArgumentParser(prog="python -m agents.demo", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    parser.add_argument("--pace", type=float, default=PACE, help="seconds between two pieces (default: %(default)s)")
    parser.add_argument("--fault", choices=sorted(MODES), help="what goes wrong")
    parser.add_argument("--status", type=int, default=529, help="HTTP status of --fault status (default: %(default)s)")
    parser.add_argument(
        "--times", type=int, default=1, help="how many requests go wrong, -1 for all (default: %(default)s)"
    )
    parser.add_argument("--after", type=int, default=0, help="how many requests go well before (default: %(default)s)")
    parser.add_argument(
        "--also", metavar="MODEL", action="append", default=[], help="a model id the support desk answers to as well"
    )
    given = parser.parse_args(arguments)
    also = dict.fromkeys(given.also, SUPPORT_DESK)
    fault = [Fault(given.fault, times=given.times, after=given.after, status=given.status)] if given.fault else []
    try:
        server = DemoServer(host=given.host, port=given.port, pace=given.pace, faults=fault, also=also)
    except (OSError, OverflowError) as error:
        parser.error(f"cannot listen on {given.host} port {given.port}: {error}")
    with server:
        print(server.url, flush=True)
        print(f"{LABEL}, models {' and '.join(MODELS)}. Ctrl-C stops it.", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print("Stopped.", flush=True)


if __name__ == "__main__":
    main()
