"""GuestEnv, a moderated conversation as a Gymnasium environment."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.games.guest.arrays import MASKS
from engine.games.guest.observation import observation
from engine.games.guest.rules import (
    ACTIONS,
    State,
    Terms,
    agents_of,
    check_action,
    check_count,
    check_share,
    gini,
    skew_energies,
    start_state,
    step,
)

Info = dict[str, Any]
SILENT, SPEAKING = MASKS


def part(name: str, dtype: type) -> property:
    """Return a property that reads a field of the state as a read-only array and can replace it."""

    def read(env: "GuestEnv") -> NDArray[Any]:
        values: NDArray[Any] = np.array(getattr(env.state, name), dtype=dtype)
        values.flags.writeable = False
        return values

    def write(env: "GuestEnv", value: Sequence[float]) -> None:
        changed: dict[str, Any] = {name: tuple(np.asarray(value, dtype=dtype).tolist())}
        env.state = env.state._replace(**changed)

    return property(read, write)


def check_render_mode(mode: str | None, known: Sequence[str]) -> str | None:
    """Return `mode`; raise ValueError unless it is None or one of `known`."""
    if mode in (None, *known):
        return mode
    *others, last = known
    expected = f"{', '.join(others)} or {last}"
    raise ValueError(f"expected render_mode to be {expected}: got {mode!r:.80}")


def draw_room(
    mode: str, state: State, terms: Terms, ginis: Sequence[float], max_steps: int
) -> NDArray[np.uint8] | str:
    """Return the picture of a session for "rgb_array", or its text for other modes."""
    from engine.games.guest.picture import draw_picture, draw_text

    if mode == "rgb_array":
        return draw_picture(state, terms, ginis, max_steps)
    return draw_text(state, terms, max_steps)


class GuestEnv(gym.Env[NDArray[np.float32], np.int64]):
    """Three agents talk; with one of eight actions per step, the Guest evens out their shares.

    Observations are float32 of shape (9,). For each agent, they contain its energy in [0, 1], its
    speaking time as a share of its maximum, and its phonemes, at least 0. A reward is 1 - gini of
    the phonemes, plus `start_bonus` in the second step of a turn, minus `late_penalty` late in a
    turn. An episode never terminates; it is truncated after `max_steps` steps.

    - `imbalance_factor`, in [0, 1], favours agent 2.
    - `energy_imbalance`, in [0, 1], skews the energies at the start; 0 draws them from [0.4, 0.6].
    - `agent_params` replaces the agents' parameters.
    - `start_bonus` and `late_penalty`, each at least 0, shape the reward; 0 leaves them out.
    - `histories=False` leaves the histories out of the infos.
    - `seed=None` takes the seed from the operating system's entropy.

    Raises ValueError for an invalid value.
    """

    metadata = {  # noqa: RUF012 - as in Gymnasium
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 10,
    }
    state: State
    action_stats: NDArray[np.int64]
    energy = part("energy", np.float64)
    speaking_time = part("speaking_time", np.int64)
    phonemes = part("phonemes", np.int64)

    def __init__(
        self,
        *,
        max_steps: int = 600,
        seed: int | None = 42,
        imbalance_factor: float = 0.0,
        energy_imbalance: float = 0.0,
        agent_params: Mapping[int, Mapping[str, Any]] | None = None,
        start_bonus: float = 0.2,
        late_penalty: float = 0.1,
        histories: bool = True,
        render_mode: str | None = None,
    ) -> None:
        self.max_steps = check_count("max_steps", max_steps)
        self.energy_imbalance = check_share("energy_imbalance", energy_imbalance)
        self.terms = Terms(imbalance_factor, agents_of(agent_params), start_bonus, late_penalty)
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self.histories = histories
        self.action_space = spaces.Discrete(len(ACTIONS))
        highest = np.array([1, 1, np.inf] * 3, np.float32)
        self.observation_space = spaces.Box(0.0, highest, dtype=np.float32)
        self._np_random, self._np_random_seed = gym.utils.seeding.np_random(seed)
        self._recorded = histories or render_mode is not None
        # This draws nothing, because the first draw of the seed belongs to the first reset.
        self._begin((0.5, 0.5, 0.5))

    @property
    def imbalance_factor(self) -> float:
        """How much agent 2 is favoured, from 0 to 1."""
        return self.terms.imbalance_factor

    @property
    def agent_params(self) -> dict[int, dict[str, int | float]]:
        """The parameters of each agent, by index and name."""
        return {place: agent._asdict() for place, agent in enumerate(self.terms.agents)}

    @property
    def current_speaker(self) -> int:
        """The index of the agent that is speaking, or -1 if none is."""
        return self.state.current_speaker

    @current_speaker.setter
    def current_speaker(self, value: int) -> None:
        self.state = self.state._replace(current_speaker=int(value))

    @property
    def gini_history(self) -> list[float]:
        """A copy of the Gini coefficients after each step so far."""
        return [*self._ginis]

    @property
    def phoneme_history(self) -> list[NDArray[np.int64]]:
        """A copy of the phonemes after each step so far, each int64 of shape (3,)."""
        # Rows of one new array, because separate arrays would make each step four times as slow.
        return list(np.array(self._counts, np.int64).reshape(-1, 3))

    @property
    def step_counter(self) -> int:
        """The number of steps so far."""
        return self.state.step_counter

    @step_counter.setter
    def step_counter(self, value: int) -> None:
        self.state = self.state._replace(step_counter=int(value))

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin an episode; `options={"energy": (a, b, c)}` sets the initial energies."""
        options = options or {}
        start = options.get("energy")
        if start is not None:
            # Check the energies before the new seed takes effect.
            start = start_state(start).energy
        super().reset(seed=seed)
        self._begin(start)
        self._show()
        return self._get_obs(), self._info(0.0, -1)

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Do one step; raise ValueError, before any change, unless `action` is from 0 to 7."""
        chosen = check_action(action)
        self.state, reward, inequality = step(self.state, chosen, self.terms)
        self.action_stats[chosen] += 1
        if self._recorded:
            self._ginis.append(inequality)
            self._counts.extend(self.state.phonemes)
        self._show()
        truncated = self.state.step_counter >= self.max_steps
        return self._get_obs(), reward, False, truncated, self._info(1 - inequality, chosen)

    def render(self) -> Any:
        """Return the picture, uint8 (400, 640, 3), or the text; in human mode, print the text."""
        if self.render_mode is None:
            gym.logger.warn(
                "render() shows nothing without a render_mode: create the environment with ansi "
                "or rgb_array"
            )
            return None
        shown = draw_room(self.render_mode, self.state, self.terms, self._ginis, self.max_steps)
        if self.render_mode != "human":
            return shown
        print(shown, flush=True)
        return None

    def _begin(self, energy: Sequence[float] | None) -> None:
        if energy is None:
            if self.energy_imbalance > 0:
                energy = skew_energies(self.energy_imbalance)
            else:
                energy = self.np_random.uniform(0.4, 0.6, 3).tolist()
        self.state = start_state(energy)
        self.action_stats = np.zeros(len(ACTIONS), dtype=np.int64)
        self._ginis: list[float] = []
        self._counts = array("q")  # three numbers per step

    def _get_obs(self) -> NDArray[np.float32]:
        return observation(self.state, self.terms)

    def _gini(self) -> float:
        return gini(self.state.phonemes)

    def _info(self, equality: float, action: int) -> Info:
        state = self.state
        mask = SILENT if state.current_speaker < 0 else SPEAKING
        info: Info = {
            "num_of_step_env": state.step_counter,
            "phoneme": np.array(state.phonemes),
            "actions_stats": self.action_stats.copy(),
            "env_reward": equality,
            "action_number": action,
            "speaker": state.current_speaker,
            "action_mask": mask.copy(),
        }
        if self.histories:
            info["gini_history"] = self.gini_history
            info["phoneme_history"] = self.phoneme_history
        return info

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
