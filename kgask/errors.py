"""What can go wrong, as one exception family.

The command line turns any :class:`KgaskError` into one line on stderr and the
exception's ``exit_code``; nothing else is ever caught there on purpose.
"""

from __future__ import annotations

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_NO_ANSWER = 3
EXIT_NOT_WELL = 4  # kgask doctor found something that fails
EXIT_REFUTED = 5  # kgask verify: the claim is refuted
EXIT_DAMAGED = 6  # a file of a pack or a model is not what was written, so nothing is answered from it
EXIT_REMOTE = 7  # a graph elsewhere cannot be asked
EXIT_SIGNATURE = 8  # a signature is missing, of another key, or does not hold
EXIT_UNFORESEEN = 70  # kgask itself is at fault; EX_SOFTWARE of sysexits.h


class KgaskError(Exception):
    """A failure that the user can act on; ``str(error)`` is one clear line."""

    exit_code = EXIT_ERROR


class UsageError(KgaskError):
    """The command line or an argument of the API is wrong."""

    exit_code = EXIT_USAGE


class PackError(KgaskError):
    """A KG pack is missing, broken, or of a format this version does not read."""


class PackDamage(PackError):
    """A file of a pack is not what was written: a checksum does not hold, or its content cannot be."""

    exit_code = EXIT_DAMAGED


class RemoteError(KgaskError):
    """A graph elsewhere cannot be asked, or answers with what is no answer; names its host."""

    exit_code = EXIT_REMOTE


class SignatureError(KgaskError):
    """A signature does not hold, or a key or signature cannot be read."""

    exit_code = EXIT_SIGNATURE


class BuildError(KgaskError):
    """A source cannot be turned into a pack; names file and line where there is one."""


class QueryError(KgaskError):
    """A query cannot be built, read, or run on this pack; says which part."""

    exit_code = EXIT_USAGE


class BudgetError(QueryError):
    """A query was stopped: it took more time than it was given."""

    exit_code = EXIT_ERROR


class ModelError(KgaskError):
    """A planner or reader model is missing, broken, or does not fit."""


class ModelDamage(ModelError):
    """A file of a model is not what its card says, or the card is not what was written."""

    exit_code = EXIT_DAMAGED


class NativeError(ModelError):
    """Compiled code does not load on this machine, or ends the process that uses it; what needs none of it goes on."""


class MethodError(ModelError):
    """A retrieval method cannot be used for one question; the next one may do well."""


class ConfigError(KgaskError):
    """The config file or an environment variable cannot be used."""

    exit_code = EXIT_USAGE


class FallbackWarning(UserWarning):
    """What was wanted does not work here, and something else answers instead: one line, on stderr in the command."""
