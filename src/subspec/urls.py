"""What a URL is where Claude Code checks for one: absolute, on the web, with a host that can be.

Claude Code follows the WHATWG's rules. This takes less than they do, and nothing that they refuse.
"""

import ipaddress
import re

_USER = r"[^\s/?#@\[\]\\]*"
_HOST = r"\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9._~!$&'()*+,;=\"`{}-]+)"
_URL = re.compile(
    rf"https?://(?:{_USER}@)?(?:{_HOST})(?::(?P<port>[0-9]{{0,9}}))?(?:[/?#].*)?",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_MAX_PORT = 65535
_NUMERIC = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")


def is_url(text: str) -> bool:
    """Tell whether a text is a URL for the web, blanks around it aside.

    >>> is_url("http://localhost:8080/hook"), is_url("localhost"), is_url("http://256.1.1.1")
    (True, False, False)
    """
    match = _URL.fullmatch(text.strip(" \t\n\r\f\v"))
    if match is None or int(match["port"] or 0) > _MAX_PORT:
        return False
    return _is_ipv6(match["v6"]) if match["host"] is None else _is_host(match["host"])


def _is_ipv6(address: str) -> bool:
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        return False
    return True


def _is_host(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        # A name that ends in a number is an address of IPv4, or nothing.
        try:
            ipaddress.IPv4Address(host)
        except ValueError:
            return False
    return all(map(_is_label, labels))


def _is_label(label: str) -> bool:
    punycode = label.lower().encode("ascii")
    if not punycode.startswith(b"xn--"):
        return True
    try:
        name = punycode.decode("idna")
        return name.isalnum() and name.encode("idna") == punycode
    except UnicodeError:
        return False
