"""Bytes from files that strangers wrote: regular ones, of a bounded size, read once."""

import os
import stat
from pathlib import Path

from attrs import frozen

MAX_FILE = 64 * 1024 * 1024
"""How large a file of specs may be, in bytes."""

BOM = "\ufeff"

_STEP = 64 * 1024


class UnreadableError(Exception):
    """A file cannot be had; `str()` of it says why."""


class NotFoundError(UnreadableError):
    """There is no such file."""


@frozen
class NotUtf8Error(Exception):
    """Bytes are not UTF-8."""

    reason: str
    before: str
    """The text before the first byte that is wrong."""


def read_bytes(path: Path, limit: int = MAX_FILE, *, inside: Path | None = None) -> bytes:
    """Read a regular file; symbolic links are followed.

    Nothing blocks: a FIFO, a device or a directory is refused by what it is.

    Args:
        path: The file.
        limit: How large it may be, in bytes.
        inside: The directory in which the file must lie that is opened, links resolved.

    Raises:
        NotFoundError: There is no such file.
        UnreadableError: It is no regular file, is larger than `limit` bytes, or may not be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        msg = "no such file"
        raise NotFoundError(msg) from None
    except UnicodeEncodeError:
        msg = "no file can have that name"
        raise NotFoundError(msg) from None
    except ValueError:
        msg = "the name holds a NUL character"
        raise NotFoundError(msg) from None
    except OSError as error:
        raise UnreadableError(_reason(error)) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            msg = f"it is {_what(found.st_mode)}, not a file"
            raise UnreadableError(msg)
        if inside is not None and not _is_what_lies_in(descriptor, path, inside):
            msg = f"it does not lie in {inside}"
            raise UnreadableError(msg)
        data = _contents(descriptor, found.st_size, limit + 1)
    except BlockingIOError:  # as from a log of the kernel that has nothing new to say
        msg = "nothing can be read from it"
        raise UnreadableError(msg) from None
    except OSError as error:
        raise UnreadableError(_reason(error)) from None
    finally:
        os.close(descriptor)
    if len(data) > limit:
        msg = f"it is larger than {_size(limit)}"
        raise UnreadableError(msg)
    return data


def exists(path: Path) -> bool:
    """Tell whether something is at a path, be it a link that leads nowhere, or may be."""
    try:
        return path.exists() or path.is_symlink()
    except OSError:
        return True


def decode(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark, which is dropped.

    Raises:
        NotUtf8Error: It is something else.
    """
    try:
        return data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8: byte 0x{data[error.start]:02X}"
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            reason = "UTF-16, not UTF-8"
        before = data[: error.start].decode("utf-8").removeprefix(BOM)
        raise NotUtf8Error(reason, before) from None


def _contents(descriptor: int, size: int, most: int) -> bytes:
    data = os.read(descriptor, min(size + 1, most))
    if len(data) == size > 0:  # as nearly always, and one byte more was asked for
        return data
    # A file may have grown, and one of the kernel's says that it has no size.
    parts = [data]
    while data and (most := most - len(data)):
        data = os.read(descriptor, min(_STEP, most))
        parts.append(data)
    return b"".join(parts)


def _is_what_lies_in(descriptor: int, path: Path, directory: Path) -> bool:
    # What was opened is compared with what the resolved path names: a link may have been turned
    # elsewhere between the two.
    resolved = path.resolve()
    if not resolved.is_relative_to(directory.resolve()):
        return False
    return os.path.samestat(os.fstat(descriptor), resolved.stat())


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _what(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "something else"


def _size(limit: int) -> str:
    return f"{limit // (1024 * 1024)} MiB"
