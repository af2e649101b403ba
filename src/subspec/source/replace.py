"""Files changed all at once or not at all, whole at every moment.

A new text is written beside its file and put in its place by a rename, so whoever reads the file
finds the old text or the new one. What a file held stays at hand under another name until every
file has been changed, so putting it back needs no room on the disk.

The order is what makes it safe. All that may run out of room or be forbidden comes first, then
new texts take their places, and removals come last: a process that is killed in between can leave
some of the files changed, but whatever it took away was to go, and what was to come is there.
"""

import os
import re
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP
from pathlib import Path

from attrs import define, frozen

from subspec.problems import CANNOT_WRITE, CONFLICT, ConflictError, Problem, SpecError
from subspec.source.files import NotFoundError, UnreadableError, read_bytes

_ATTEMPTS = (None,) * 20
"""How often something is tried that others can only get in the way of for a moment."""

_TEMPORARY = re.compile(r"(\..+\.subspec-)[0-9a-f]{16}\.tmp", re.DOTALL)
_LONGEST = 100
"""How many bytes of a name go into that of its temporary, which some systems hold to 143."""

_ACL = "system.posix_acl_access"
_OF_THE_TEXT = {"security.capability", "security.evm", "security.ima"}
"""Extended attributes that vouch for what a file holds, and must not vouch for something else."""

_NO_SUCH_CALL = {EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP}

_AGAIN = "load it again and make the change there"


@frozen
class Change:
    """What one file holds, and what it shall hold instead."""

    path: Path
    """The file as it was named; symbolic links are written through."""

    before: bytes | None
    """What the file must hold now, or None where there must be nothing."""

    after: bytes | None
    """What it shall hold, or None to remove it; of a symbolic link, only the link is removed."""


class _MovedError(SpecError):
    """A directory is not what it was a moment ago."""


@define(eq=False)
class _Job:
    """A change on its way."""

    change: Change

    target: Path
    """The name that is to lead to something else, links resolved."""

    temporary: Path
    backup: Path
    original: os.stat_result | None = None

    begun: bool = False
    """Whether the target may be other than it was. What became of it, only the disk can tell."""

    lost: bool = False
    """Whether the backup is all that is left of what the file held."""


def replace_files(changes: Iterable[Change]) -> tuple[Path, ...]:
    """Make all changes or none.

    Mode, owner and extended attributes of a file are kept. A file that holds the new text already
    is not touched. Others who use this function at the same time wait, and then find that a file
    is not what they read; where the system has no locks for directories, nobody waits.

    Args:
        changes: The changes, no two of the same file.

    Returns:
        The files that were changed, as they were named, in that order.

    Raises:
        ConflictError: Files do not hold what they should; each is named.
        SpecError: A file cannot be written, or is of a kind that would lose something by it.
        ValueError: Two changes are of the same file.
    """
    changes = tuple(changes)
    problems: tuple[Problem, ...] = ()
    for _ in _ATTEMPTS:
        try:
            return _replace_files(changes)
        except _MovedError as error:
            problems = error.problems
    raise SpecError(problems)


def _replace_files(changes: tuple[Change, ...]) -> tuple[Path, ...]:
    jobs: list[_Job] = []
    made: dict[Path, Change] = {}
    locks: list[int] = []
    lost: list[Problem] = []
    failure: BaseException | None = None
    done = False
    try:
        _carry_out(changes, jobs, made, locks)
        done = True
    except BaseException as error:  # noqa: BLE001 - raised below
        failure = error
    # An interrupt may not keep this from being done, so it is done again then, and what interrupted
    # it comes after it. Python looks for signals in calls, and the only one here is in a `try`.
    for _ in _ATTEMPTS:
        try:
            _settle(jobs, made, locks, lost, done=done)
            break
        except BaseException as error:  # noqa: BLE001 - raised below
            failure = error
    else:
        _unlock(locks)
    if lost:
        files = {problem.file for problem in lost}
        said = failure.problems if isinstance(failure, SpecError) else ()
        raise SpecError([*(each for each in said if each.file not in files), *lost]) from failure
    if failure is not None:
        raise failure
    return tuple(change.path for change in changes if change.before != change.after)


def _carry_out(
    changes: tuple[Change, ...], jobs: list[_Job], made: dict[Path, Change], locks: list[int]
) -> None:
    for change in changes:
        with _blaming(change):
            if _creates(change):
                _make_directory(change, made)
            target = _locate(change)
            jobs.append(_Job(change, target, _beside(target), _beside(target)))
    _refuse_twice([job.target for job in jobs])
    _sweep(jobs, _lock(jobs, locks))
    _compare(jobs)
    _inspect(jobs)
    different = [job for job in jobs if job.change.before != job.change.after]
    writing = [job for job in different if job.change.after is not None]
    for job in writing:
        with _blaming(job.change):
            _prepare(job)
    _compare(jobs)  # writing takes its time, and somebody with an editor may come in between
    for job in writing:
        with _blaming(job.change):
            _put_in_place(job)
    for job in different:
        if job.change.after is None:
            with _blaming(job.change):
                job.begun = True
                job.target.rename(job.backup)
    directories = {directory.parent: change for directory, change in made.items()}
    directories |= {job.target.parent: job.change for job in different}
    for directory, change in directories.items():
        with _blaming(change):
            _sync(directory)


def _make_directory(change: Change, made: dict[Path, Change]) -> None:
    directory = change.path.parent
    missing: list[Path] = []
    while not os.path.lexists(directory):
        missing.append(directory)
        directory = directory.parent
    for directory in reversed(missing):
        made[directory] = change  # before it is: an interrupt may come in between
        try:
            directory.mkdir()
        except FileExistsError:
            del made[directory]
        except FileNotFoundError:
            raise _MovedError([_no_directory(change, directory.parent)]) from None


def _locate(change: Change) -> Path:
    path = change.path
    try:
        # A link is written through, and removed as a link.
        if change.before is None or change.after is not None:
            return Path(os.path.realpath(path, strict=True))
    except FileNotFoundError:
        pass
    try:
        return Path(os.path.realpath(path.parent, strict=True), path.name)
    except FileNotFoundError:
        if _creates(change):
            raise _MovedError([_no_directory(change, path.parent)]) from None
        return path  # there is nothing, and nothing will be


def _refuse_twice(names: Iterable[Path | tuple[int, int]]) -> None:
    seen: set[Path | tuple[int, int]] = set()
    for name in names:
        if name in seen:
            msg = "two changes are of the same file"
            raise ValueError(msg)
        seen.add(name)


def _lock(jobs: list[_Job], locks: list[int]) -> set[Path]:
    """Wait until nobody else is at work in the directories; give those that are locked."""
    places: dict[Path, tuple[int, int]] = {}
    descriptors: dict[tuple[int, int], int] = {}
    for directory in {job.target.parent: None for job in jobs}:
        descriptor = _open_directory(directory)
        if descriptor is not None:
            locks.append(descriptor)
            places[directory] = place = _place(os.fstat(descriptor))
            descriptors.setdefault(place, descriptor)
    # One order for all, by what the directories are and not by how they are called: nobody waits
    # for somebody who waits for him.
    locked = {place for place, descriptor in sorted(descriptors.items()) if _flock(descriptor)}
    for job in jobs:
        with _blaming(job.change):
            directory = job.target.parent
            if job.target != _locate(job.change) or (
                directory in places and places[directory] != _place(directory.stat())
            ):
                raise _MovedError([_cannot(job.change, "its directory comes and goes")])
    return {directory for directory, place in places.items() if place in locked}


def _open_directory(directory: Path) -> int | None:
    flags = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
    try:
        return os.open(directory, flags)
    except OSError:  # as always on Windows, and where names may be written but not read
        return None


def _flock(descriptor: int) -> bool:
    try:
        import fcntl  # noqa: PLC0415 - Windows has none

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except (ImportError, OSError):
        return False
    return True


def _unlock(locks: list[int]) -> None:
    # What is closed cannot be closed again. So the locks are opened first, for an interrupt that
    # kept one of them closed would keep this process waiting for itself.
    with suppress(ImportError):
        import fcntl  # noqa: PLC0415 - Windows has none

        for descriptor in locks:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
    while locks:
        with suppress(OSError):
            os.close(locks.pop())


def _sweep(jobs: list[_Job], locked: set[Path]) -> None:
    """Remove what processes that were killed have left of the same files.

    Under a lock nobody else can be at work on it. None of it is needed: a temporary was never in
    its place, and what a backup held was replaced, or was to be removed.
    """
    prefixes: dict[Path, set[str]] = {}
    for job in jobs:
        if job.target.parent in locked:
            prefixes.setdefault(job.target.parent, set()).add(_prefix(job.target))
    for directory, mine in prefixes.items():
        with suppress(OSError):
            for path in directory.iterdir():
                found = _TEMPORARY.fullmatch(path.name)
                if found is not None and found[1] in mine:
                    kind = path.lstat().st_mode
                    if stat.S_ISREG(kind) or stat.S_ISLNK(kind):
                        path.unlink()


def _compare(jobs: list[_Job]) -> None:
    """See that each file holds what it should."""
    conflicts: list[Problem] = []
    refusals: list[Problem] = []
    for job in jobs:
        try:
            found = _read(job)
        except UnreadableError as error:
            refusals.append(_cannot(job.change, str(error)))
        else:
            if found != job.change.before:
                conflicts.append(_conflict(job.change, found))
    if conflicts:
        raise ConflictError(conflicts)
    if refusals:
        raise SpecError(refusals)


def _read(job: _Job) -> bytes | None:
    try:
        return read_bytes(job.target)
    except NotFoundError:
        return None
    except OSError as error:
        raise UnreadableError(_reason(error)) from None


def _inspect(jobs: list[_Job]) -> None:
    """See that each file can be changed and loses nothing by it."""
    refusals: list[Problem] = []
    for job in jobs:
        with _blaming(job.change):
            if job.change.before is None:
                if job.target.is_symlink():
                    refusals.append(_cannot(job.change, "it is a symbolic link to nowhere"))
            elif job.change.before != job.change.after:
                job.original = job.target.lstat()
                refusals += _obstacles(job, job.original)
    _refuse_twice(_place(job.original) for job in jobs if job.original is not None)
    if refusals:
        raise SpecError(refusals)


def _obstacles(job: _Job, status: os.stat_result) -> Iterator[Problem]:
    if stat.S_ISLNK(status.st_mode):  # and is to be removed
        return
    # The superuser may write anything, and would not be stopped by the system.
    if not status.st_mode & 0o222 or not os.access(job.target, os.W_OK):
        yield _cannot(job.change, "it is read-only", "make it writable first")
    if status.st_nlink > 1 and job.change.after is not None:
        yield _cannot(
            job.change,
            "it has another name (a hard link), which would keep the old text",
            "remove the other name, or make it a symbolic link",
        )


def _prepare(job: _Job) -> None:
    """Do all that may fail for lack of room or rights."""
    change, original = job.change, job.original
    _write(job, job.temporary, change.after or b"")
    if original is None:
        return
    try:
        job.backup.hardlink_to(job.target)
    except (OSError, NotImplementedError):  # there are no links, here or anywhere
        _write(job, job.backup, change.before or b"")
        os.utime(job.backup, ns=(original.st_atime_ns, original.st_mtime_ns))


def _write(job: _Job, path: Path, data: bytes) -> None:
    original = job.original
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    # A new file gets its mode from the system, by the umask or by what the directory says.
    try:
        descriptor = os.open(path, flags, 0o666 if original is None else 0o600)
    except OSError as error:
        reason = f"no file can be made in its directory: {_reason(error)}"
        raise SpecError([_cannot(job.change, reason)]) from None
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if original is not None:
            _keep(job, descriptor, path, original)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep(job: _Job, descriptor: int, path: Path, original: os.stat_result) -> None:
    """Give a temporary the owner, the rights and the extended attributes of the original."""
    mode = stat.S_IMODE(original.st_mode)
    kept = True
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (original.st_uid, original.st_gid):
        try:
            os.fchown(descriptor, original.st_uid, original.st_gid)
        except OSError:
            if made.st_uid != original.st_uid:
                reason = "it belongs to somebody else, and would be yours"
                raise SpecError([_cannot(job.change, reason)]) from None
            kept = False
    if not _keep_attributes(descriptor, job.target) or not kept:
        # Whoever is in the group now was not meant: it may do no more than everybody may.
        mode &= 0o5707 | (mode & 0o007) << 3
    # Where all files have one mode, asking for it may be refused.
    if stat.S_IMODE(os.fstat(descriptor).st_mode) == mode:
        return
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
    else:
        path.chmod(mode)


def _keep_attributes(descriptor: int, target: Path) -> bool:
    """Copy extended attributes; tell whether what they say of rights is the same now."""
    if not hasattr(os, "listxattr"):
        return True
    try:
        theirs, ours = set(os.listxattr(target)), set(os.listxattr(descriptor))
    except OSError:  # the file system has none
        return True
    kept = True
    for name in (theirs - _OF_THE_TEXT) | (ours & {_ACL}):
        try:
            if name not in theirs:  # a directory may give rights to what is made in it
                os.removexattr(descriptor, name)
                continue
            value = os.getxattr(target, name)
            if name not in ours or os.getxattr(descriptor, name) != value:
                os.setxattr(descriptor, name, value)
        except OSError:
            kept = kept and name != _ACL
    return kept


def _put_in_place(job: _Job) -> None:
    job.begun = True
    if job.original is not None:
        job.temporary.replace(job.target)
        return
    # A rename would replace what somebody else has put there since; a link never does.
    try:
        job.target.hardlink_to(job.temporary)
    except (OSError, NotImplementedError):
        if not os.path.lexists(job.target):  # there are no links, here or anywhere
            job.temporary.replace(job.target)
        elif not os.path.samestat(job.target.lstat(), job.temporary.lstat()):
            job.begun = False
            raise ConflictError([_conflict(job.change, None)]) from None


def _sync(directory: Path) -> None:
    descriptor = _open_directory(directory)
    if descriptor is None:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SUCH_CALL:
            raise
    finally:
        os.close(descriptor)


def _settle(
    jobs: list[_Job], made: dict[Path, Change], locks: list[int], lost: list[Problem], *, done: bool
) -> None:
    """Leave nothing behind, and where not all is done, leave all as it was."""
    if not done:
        _put_back(jobs, lost)
    _clean_up(jobs)
    if not done:
        for directory in reversed(made):
            # Somebody else may have put something there, or it was never made.
            with suppress(OSError, ValueError):
                directory.rmdir()
    # What is unlocked is nothing to come back to.
    jobs.clear()
    made.clear()
    _unlock(locks)


def _put_back(jobs: list[_Job], lost: list[Problem]) -> None:
    lost.clear()
    for job in reversed(jobs):
        if job.begun:
            try:
                _undo(job)
            except OSError as error:
                lost.insert(0, _lost(job, _reason(error)))
                job.lost = True
    with suppress(OSError):
        for job in jobs:
            if job.begun:
                _sync(job.target.parent)


def _undo(job: _Job) -> None:
    change = job.change
    if change.after is None:
        if not os.path.lexists(job.target):
            job.backup.rename(job.target)
        return
    try:
        found = _read(job)
    except UnreadableError:
        found = change.after
    # Else it was not done, or is undone, or somebody else has written to the file since.
    if found == change.after:
        if change.before is None:
            job.target.unlink()
        else:
            job.backup.replace(job.target)


def _clean_up(jobs: list[_Job]) -> None:
    for job in jobs:
        for path in (job.temporary, *(() if job.lost else (job.backup,))):
            for _ in _ATTEMPTS:  # a scanner for viruses may hold it for a moment
                with suppress(OSError):
                    path.unlink(missing_ok=True)
                    break


def _beside(target: Path) -> Path:
    """Think up a name in the same directory that no reader of specs takes for one."""
    return target.parent / f"{_prefix(target)}{os.urandom(8).hex()}.tmp"


def _prefix(target: Path) -> str:
    name = target.name
    while len(os.fsencode(name)) > _LONGEST:
        name = name[:-1]
    return f".{name}.subspec-"


def _creates(change: Change) -> bool:
    return change.before is None and change.after is not None


def _place(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


@contextmanager
def _blaming(change: Change) -> Generator[None]:
    """Say of which file it is that something cannot be done."""
    try:
        yield
    except SpecError:
        raise
    except OSError as error:
        raise SpecError([_cannot(change, _reason(error))]) from None
    except UnicodeEncodeError:
        raise SpecError([_cannot(change, "no file can have that name")]) from None
    except ValueError:
        raise SpecError([_cannot(change, "the name holds a NUL character")]) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _cannot(change: Change, reason: str, hint: str | None = None) -> Problem:
    what = "remove" if change.after is None else "write"
    message = f"cannot {what} it, and it is as it was: {reason}"
    return CANNOT_WRITE.problem(message, hint=hint, file=str(change.path))


def _no_directory(change: Change, directory: Path) -> Problem:
    return _cannot(change, f"the directory {directory} does not exist")


def _conflict(change: Change, found: bytes | None) -> Problem:
    if change.before is None:
        message = "it was created by somebody else"
    elif found is None:
        message = "it is gone"
    else:
        message = "it was changed by somebody else"
    return CONFLICT.problem(f"{message}; nothing was written", hint=_AGAIN, file=str(change.path))


def _lost(job: _Job, reason: str) -> Problem:
    if job.change.before is None:
        message, hint = f"cannot remove it again: {reason}", "remove it before you go on"
    else:
        message = f"cannot put it back: {reason}; what it held is in {job.backup}"
        hint = "rename that file back before you save again"
    return CANNOT_WRITE.problem(message, hint=hint, file=str(job.change.path))
