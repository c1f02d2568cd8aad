"""Errors with a code that journals, logs and JSON store instead of the class name."""

from __future__ import annotations

from typing import Any, ClassVar


class CodedError(Exception):
    """The base of the families of errors that have a code.

    The code is the name of the class without "Error", unless the class sets `code` itself. A class
    that is renamed keeps its code, so that older journals and programs still understand it.
    """

    code: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "code" not in vars(cls):
            cls.code = cls.__name__.removesuffix("Error")
