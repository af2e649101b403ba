"""Children that speak the Agent Client Protocol, in processes of their own (the extra ``acp``)."""

from subspec.delegation.acp.environment import looks_like_a_credential
from subspec.delegation.acp.provider import AcpProvider

__all__ = ["AcpProvider", "looks_like_a_credential"]
