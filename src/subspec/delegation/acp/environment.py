"""The environment of a child: its parent's, without what looks like a credential."""

import re
from collections.abc import Mapping

_ENDINGS = (
    *("key", "keys", "token", "tokens", "secret", "secrets", "password", "passwords"),
    *("passwd", "passphrase", "credential", "credentials", "auth", "cookie", "cookies"),
)
_WORDS = frozenset({"pass", "pat", "cred", "creds", "jwt", "sshpass"})
_NAME_ENDING = "_pwd"  # but not the working directory: PWD and OLDPWD
_VALUE = re.compile(r"://[^/\s:@]*:[^/\s@]+@|-----BEGIN [A-Z ]*PRIVATE KEY-----")


def scrubbed(environment: Mapping[str, str]) -> dict[str, str]:
    """Copy an environment without the variables that look like credentials.

    >>> scrubbed({"HOME": "/home/me", "GITHUB_TOKEN": "ghp_1", "GIT_AUTHOR_NAME": "Me"})
    {'HOME': '/home/me', 'GIT_AUTHOR_NAME': 'Me'}
    """
    return {
        name: value
        for name, value in environment.items()
        if not looks_like_a_credential(name, value)
    }


def looks_like_a_credential(name: str, value: str) -> bool:
    """Tell whether a variable is credential-shaped, by its name or by its value.

    By its name, when one of the words in it, which underscores and the like divide, ends with key,
    token, secret, password, passwd, passphrase, credential, auth or cookie, or one of these in the
    plural; when a word is pass, pat, cred, creds, jwt or sshpass; or when the name ends with _pwd.
    Case does not matter. By its value, when that holds a URL with a password, or a private key.
    """
    folded = name.lower()
    words = re.split(r"[^a-z0-9]+", folded)
    return (
        any(word.endswith(_ENDINGS) or word in _WORDS for word in words)
        or folded.endswith(_NAME_ENDING)
        or _VALUE.search(value) is not None
    )
