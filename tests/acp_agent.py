"""An agent made with the package agent-client-protocol: ``python acp_agent.py BEHAVIOUR ...``."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import acp
from acp import schema
from rude_agent import descendants, ignore_everything


def note(text: str = "") -> None:
    """Write to the file that is the second argument, to tell that something has come about."""
    Path(sys.argv[2]).write_text(text, encoding="utf-8")


class Agent:
    def on_connect(self, client: acp.Client) -> None:
        self.client = client
        self.cancelled = asyncio.Event()

    async def initialize(self, protocol_version, client_capabilities=None, **_):
        self.capabilities = client_capabilities
        return acp.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd, mcp_servers=None, **_):
        self.cwd = cwd
        return acp.NewSessionResponse(session_id="the session")

    async def prompt(self, prompt, session_id, **_):
        self.prompt_text = prompt[0].text
        reason = await getattr(self, sys.argv[1])()
        return acp.PromptResponse.model_construct(stop_reason=reason or "end_turn")

    async def cancel(self, session_id, **_):
        self.cancelled.set()

    async def say(self, text, session="the session"):
        await self.client.session_update(session, acp.update_agent_message_text(text))

    # What it can be told to do.

    async def echo(self):
        await self.say("You said: ")
        await self.say(self.prompt_text)

    async def report(self):
        capabilities = self.capabilities.model_dump(mode="json", exclude_none=True)
        found = {"cwd": str(Path.cwd()), "session": self.cwd, "capabilities": capabilities}
        await self.say(json.dumps({**found, "env": dict(os.environ)}))

    async def work(self):
        update = self.client.session_update
        await update("the session", acp.update_agent_thought_text("Hm."))
        await self.say("I look ")
        await self.say("at the file.")
        await update("the session", acp.start_tool_call("call-1", "Read", kind="read"))
        await update("the session", acp.update_tool_call("call-1", status="completed"))
        await self.say("Somebody else's.", session="another session")
        await self.say("The bug is in line 7.")

    async def draw(self):
        await self.say("See: ")
        image = acp.image_block("AAAA", "image/png")
        await self.client.session_update("the session", acp.update_agent_message(image))

    async def permission(self):
        kinds = ["reject_always", "allow_always", "allow_once", "reject_once"]
        offered = [kind for kind in kinds if kind in sys.argv[2:]] or kinds
        await self.say(json.dumps((await self.ask(offered)).model_dump(by_alias=True)))

    async def ask(self, kinds):
        options = [schema.PermissionOption(kind=k, name=k, option_id=f"the {k}") for k in kinds]
        call = schema.ToolCallUpdate(tool_call_id="call-1")
        answer = await self.client.request_permission(
            session_id="the session", options=options, tool_call=call
        )
        return answer.outcome

    async def reach_out(self):
        codes = []
        for call in (
            self.client.read_text_file(session_id="the session", path=__file__),
            self.client.write_text_file(session_id="the session", path="/x", content=""),
            self.client.create_terminal(session_id="the session", command="true"),
            self.client.ext_method("whatever", {}),
        ):
            try:
                await call
            except acp.RequestError as error:
                codes.append(error.code)
        await self.client.ext_notification("whatever", {})
        await self.say(json.dumps(codes))

    async def wait(self):
        await self.say("so far")
        note()
        await self.cancelled.wait()
        await self.say(", and no further")
        asked = await self.ask(["allow_once", "reject_once"])
        note(asked.outcome)
        return "cancelled"

    async def fail_when_cancelled(self):
        await self.say("so far")
        note()
        await self.cancelled.wait()
        raise acp.RequestError(-32800, "cancelled")

    async def ignore(self):
        await self.say("so far")
        note()
        ignore_everything()

    async def die(self):
        await self.say("so far")
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(5)

    async def refuse(self):
        await self.say("so far")
        raise acp.RequestError(-32603, "no more credit", {"left": 0})

    async def breed(self):
        note(json.dumps(descendants()))
        if sys.argv[3:] == ["die"]:
            os._exit(1)
        await self.say("done")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(Agent()))
