"""Which model a child in this process runs on."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.errors import DelegationError, ErrorCode, described
from subspec.delegation.vocabulary import AgentOptions
from subspec.models import ALIASES, LONG_CONTEXT
from subspec.problems import quoted

if TYPE_CHECKING:
    from pydantic_ai.models import Model

INHERIT = "inherit"
"""The name that stands for the parent's model."""

_NONE = AgentOptions()


class Models:
    """The models that names stand for."""

    def __init__(self, parent: "Model | str | None", named: "Mapping[str, Model | str]") -> None:
        """Collect them.

        Args:
            parent: The parent's model.
            named: What further names stand for.
        """
        self._parent = parent
        self._named = dict(named)
        self._made: dict[str, Model] = {}

    def choose(
        self,
        options: AgentOptions | Absent,
        spec: str | None,
        own: "Model | str | None",
    ) -> "Model | str | None":
        """Choose the model of a child: that of the options, of its spec, its own, the parent's.

        Args:
            options: What the request says.
            spec: What the child's spec says.
            own: The model of an agent that is made already.

        Returns:
            The model, or None: it is the agent's own.

        Raises:
            DelegationError: ``START_FAILED``: there is none, or nobody says what its name means.
        """
        options = _NONE if options is ABSENT else options
        name = spec if options.model is ABSENT else options.model
        if options.provider is ABSENT:
            if name is None and own is not None:
                return None
            return self._ready(self._meant(name))
        if options.model is not ABSENT and not self._stands_for_another(options.model):
            return self._ready(f"{options.provider}:{options.model}")
        base = own if name is None and own is not None else self._meant(name)
        return self._ready(f"{options.provider}:{_bare(base)}")

    def _meant(self, name: str | None) -> "Model | str":
        if name is None or _folded(name) == INHERIT:
            if self._parent is None:
                message = "nobody says which model to run on: give the provider one, as model="
                raise DelegationError(ErrorCode.START_FAILED, message)
            return self._parent
        for key in (name, _folded(name)):
            if key in self._named:
                return self._named[key]
        if _is_alias(name):
            message = f"nobody says which model {quoted(name)} is: say it in models="
            raise DelegationError(ErrorCode.START_FAILED, message)
        return name

    def _stands_for_another(self, name: str) -> bool:
        return _is_alias(name) or name in self._named or _folded(name) in self._named

    def _ready(self, model: "Model | str") -> "Model":
        if not isinstance(model, str):
            return model
        if model not in self._made:
            self._made[model] = _inferred(model)
        return self._made[model]


def _inferred(name: str) -> "Model":
    from pydantic_ai.models import infer_model  # noqa: PLC0415 - costly, and an extra

    try:
        return infer_model(name)
    except Exception as error:
        message = f"no model can be made of {quoted(name)}: {described(error)}"
        raise DelegationError(ErrorCode.START_FAILED, message) from error


def _folded(name: str) -> str:
    return name.strip().lower()


def _is_alias(name: str) -> bool:
    return _folded(name).removesuffix(LONG_CONTEXT) in ALIASES


def _bare(model: Any) -> str:
    """Give the name of a model without that of its provider."""
    if isinstance(model, str):
        return model.partition(":")[2] or model
    return str(model.model_name)
