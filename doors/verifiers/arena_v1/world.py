"""The default location of a rollout: this machine."""

import verifiers.v1 as vf


class ArenaWorldConfig(vf.EnvConfig):
    """The only agent, which runs on this machine; verifiers' default is a hosted sandbox."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class ArenaWorld(vf.Env[ArenaWorldConfig]):
    """One game per rollout."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Let the agent play its game."""
        await agents.agent.run(task)
