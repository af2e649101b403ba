"""The key of MCP servers, which most programs write as a mapping of names to configurations."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from subspec.formats.spelling import Context, Key, Lost, OwnValueError, Reading, Said, Written, lost
from subspec.mcp import ServerReferences
from subspec.problems import SpecError, errors_in, quoted
from subspec.shapes import wrong_type
from subspec.source.compare import MISSING

Config = dict[str, Any]

_LOCAL = {"command", "args", "env"}
_REMOTE = {"type", "url", "headers"}


@frozen
class Servers:
    """How a program writes MCP servers."""

    http: str | None = "url"
    """The key of the address of a server on the network; None: there is none."""

    headers: str = "headers"
    """The key of its headers."""

    lists_names: bool = False
    """Whether servers of the session can be named, in a list."""

    def key(self) -> Key:
        """Make the key."""
        return Key(("mcp_servers",), self.read, self.write)

    def read(self, value: Any) -> Reading:
        """Read servers.

        Raises:
            OwnValueError: Only the program understands them.
            SpecError: They are nothing of the kind.
        """
        if isinstance(value, list) and self.lists_names:
            return {"mcp_servers": value}, []
        if not isinstance(value, Mapping):
            raise SpecError([wrong_type("a mapping of names to servers", value)])
        found: Any = [{name: self.as_claude_codes(config)} for name, config in value.items()]
        if errors_in(ServerReferences()(found)):
            raise OwnValueError
        return {"mcp_servers": found}, []

    def as_claude_codes(self, config: Any) -> Config:
        """Give a configuration as Claude Code writes it."""
        if not isinstance(config, Mapping):
            raise SpecError([wrong_type("the configuration of a server", config)])
        if set(config) <= _LOCAL or "type" in config:
            return dict(config)
        if self.http is None or self.http not in config or not set(config) <= self.remote_keys:
            raise OwnValueError
        found = {"type": "http", "url": config[self.http]}
        return found | ({"headers": config[self.headers]} if self.headers in config else {})

    @property
    def remote_keys(self) -> set[str | None]:
        """The keys of a server on the network."""
        return {self.http, self.headers}

    def write(self, said: Said, context: Context) -> Written:
        """Write servers."""
        if "mcp_servers" not in said:
            return MISSING, []
        entries = said["mcp_servers"]
        if self.lists_names and all(isinstance(entry, str) for entry in entries):
            return entries, []
        written: dict[str, Config] = {}
        losses: list[Lost] = []
        for entry in entries:
            if isinstance(entry, str):
                reason = f"{context.title} cannot name the server {quoted(entry)} of the session"
                losses.append(lost("mcp_servers", reason))
                continue
            ((name, config),) = entry.items()
            config_there = self.in_words(config)
            if config_there is None or name in written:
                reason = f"{context.title} has no such configuration as that of {quoted(name)}"
                losses.append(lost("mcp_servers", reason))
                continue
            written[name] = config_there
            if config.get("type") == "stdio":
                reason = f"{context.title} has no type for the server {quoted(name)}"
                losses.append(lost("mcp_servers", reason, "it goes without saying"))
        return written if written or not losses else MISSING, losses

    def in_words(self, config: Config) -> Config | None:
        """Give a configuration as the program writes it; None where it cannot."""
        if config.get("type", "stdio") == "stdio":
            rest = {key: value for key, value in config.items() if key != "type"}
            return rest if set(rest) <= _LOCAL else None
        if self.http is None or config["type"] != "http" or not set(config) <= _REMOTE:
            return None
        found = {self.http: config["url"]}
        return found | ({self.headers: config["headers"]} if "headers" in config else {})
