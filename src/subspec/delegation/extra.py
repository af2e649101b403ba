"""What the extra ``pydantic-ai`` brings, and how to say that it is not there."""

from importlib import import_module


def require_pydantic_ai() -> None:
    """Make sure that Pydantic AI is there.

    Raises:
        ImportError: It is not; the message says what to install.
    """
    try:
        import_module("pydantic_ai")
    except ImportError as error:
        install = "pip install 'subspec[pydantic-ai]'"
        msg = f"agents of Pydantic AI need pydantic-ai-slim; install it with: {install}"
        raise ImportError(msg) from error
