"""What a request says of its size, however it says it."""

import pytest

from memdash.asgi import REQUEST_BYTES, _is_too_large


@pytest.mark.parametrize(
    ("length", "refused"),
    [
        (b"0", False),
        (str(REQUEST_BYTES).encode(), False),
        (str(REQUEST_BYTES + 1).encode(), True),
        (b"9" * 5000, True),
        (b"0" * 5000 + b"7", False),
        (b"", False),
        (b"many", False),
        (b"-1", False),
    ],
)
def test_a_length_of_any_number_of_digits_is_compared(length: bytes, refused: bool) -> None:
    assert _is_too_large(length) is refused
