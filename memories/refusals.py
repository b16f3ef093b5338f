"""Why a change may not happen. The text of a refusal is a sentence that a model or a person may read as it is."""


class Refused(Exception):
    """Asked for and not done; nothing was changed."""

    @property
    def words(self) -> str:
        """The sentence as a person reads it, without the word by which a model knows that it failed."""
        text = str(self).removeprefix("Error: ")
        return text[:1].upper() + text[1:]


class InputRefused(Refused):
    """The input is not a call of the memory tool: a field is missing, of the wrong type, or cannot be stored."""


class PathRefused(InputRefused):
    """Not a path that a store can hold."""


class PathMissing(Refused):
    """Nothing lives at the path."""


class PathTaken(Refused):
    """Something lives at the path already, or a file stands where a directory would have to be."""


class RootKept(Refused):
    """The root can be neither deleted nor renamed."""


class InsideItself(Refused):
    """A directory or file cannot move below itself."""


class TextNotFound(Refused):
    """The text to be replaced does not occur."""


class TextAmbiguous(Refused):
    """The text to be replaced occurs more than once."""


class LineOutOfRange(Refused):
    """The file has no such line."""


class TooManyLines(Refused):
    """The file has more lines than the tool shows."""


class NotText(Refused):
    """The file is an image, or its bytes are not text that every database can store."""


class ContentChanged(Refused):
    """The file is no longer the one the change started from."""


class TooLarge(Refused):
    """The file would be larger than its store allows."""


class StoreFull(Refused):
    """The store would hold more files or bytes than its limits allow."""


class Locked(Refused):
    """A person has locked the file; agents may read it but not change it."""


class StoreGone(Refused):
    """The making of the store was undone; nobody would see what is written."""


class Paused(Refused):
    """A person has paused what agents change in the store; reading goes on."""


class TooManyLabels(Refused):
    """The file would have more labels than a file may have."""


class WordsRefused(Refused):
    """Not a label or a note that a file can have."""


class KeyReused(Refused):
    """The dedupe key was given before with another command."""


class Busy(Refused):
    """Others kept the store for longer than a writer waits; trying again is safe."""
