"""The body of a call: the memory tool's input, and beside it what the program says about the call."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, SkipValidation, WithJsonSchema, model_validator

TURNS: Final = 2**31 - 1
"""A turn is kept as a 32-bit number."""

_TOOL: Final = {
    "command": "view, create, str_replace, insert, delete or rename",
    "path": "where to act, a path that begins with /memories; rename has old_path and new_path instead",
    "view_range": "view: the first and the last line, -1 for the end",
    "file_text": "create: the whole text",
    "old_str": "str_replace: the text to be replaced, which occurs once",
    "new_str": "str_replace: what takes its place",
    "insert_line": "insert: the line after which to insert, 0 for the beginning",
    "insert_text": "insert: the text",
    "old_path": "rename: the path now",
    "new_path": "rename: the path afterwards",
}


def _string(value: object) -> str:
    # Not pydantic's string, which refuses half of a surrogate pair: programs that cut texts by UTF-16 send such.
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def _whole(value: object) -> int:
    # In JSON 2.0 is a whole number.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= TURNS:
        raise ValueError(f"must be a whole number from 0 to {TURNS:,}")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a string or a list of strings")
    return tuple(value)


Text = Annotated[str, PlainValidator(_string), WithJsonSchema({"type": "string"})]
Turn = Annotated[int, PlainValidator(_whole), WithJsonSchema({"type": "integer", "minimum": 0, "maximum": TURNS})]
Texts = Annotated[
    tuple[str, ...],
    PlainValidator(_strings),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


def _documented(schema: dict[str, Any]) -> None:
    """Put the tool's own fields where a caller writes them, without rules: the tool says itself what is wrong."""
    del schema["properties"]["input"]
    schema.pop("required", None)
    tool = {name: {"description": words} for name, words in _TOOL.items()}
    schema["properties"] = tool | schema["properties"]


class MemoryCall(BaseModel):
    """One call of the memory tool. Fields that neither the tool nor this document names are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=_documented)

    session: Text | None = Field(None, description="the conversation; calls of one session are shown as one run")
    turn: Turn | None = Field(None, description="the turn of the conversation in which the model made the call")
    tool_use_id: Text | None = Field(None, description="the model's id of the call; sent again, it changes nothing")
    cause: Text | None = Field(None, description="what the agent was asked, in the words it was asked")
    agent: Text | None = Field(None, description="who calls, if it is not the token's agent itself")
    external: Texts | None = Field(None, description="what the session has read from outside: pages, mails, tickets")
    input: Annotated[dict[str, Any], SkipValidation]

    @model_validator(mode="before")
    @classmethod
    def _split(cls, body: object) -> dict[str, Any]:
        """Set what is said about the call apart from the tool's input."""
        if not isinstance(body, dict):
            raise ValueError("must be a JSON object")
        said = {name: body[name] for name in cls.model_fields if name in body and name != "input"}
        return {**said, "input": {name: value for name, value in body.items() if name not in said}}


class Answer(BaseModel):
    """What the memory tool answers: a text or, for an image, content blocks; errors of the tool are answers too."""

    content: str | list[dict[str, Any]]
    is_error: bool
