"""GuestVectorEnv: many sessions in one environment, step for step what Gymnasium's SyncVectorEnv makes of GuestEnv."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from engine.games.guest.rules import (
    ACTIONS,
    Terms,
    action_mask,
    agents_of,
    check_count,
    check_share,
    first_state,
    skew_energies,
)
from engine.labs.guest import arrays
from engine.labs.guest.arrays import Floats, Ints, Rooms, Tables

Info = dict[str, Any]
Bools = NDArray[np.bool_]
MASKS = np.array(
    [action_mask(first_state((0, 0, 0))._replace(current_speaker=speaker)) for speaker in (-1, 0)],
    np.int8,
)


class GuestVectorEnv(VectorEnv[NDArray[np.float32], Ints, NDArray[Any]]):
    """`num_envs` independent sessions on the same terms, kept as arrays; the parameters are those of GuestEnv.

    Observations are float32 of shape (num_envs, 9), rewards float64, ends bool; infos are batched
    as Gymnasium batches those of single environments. Room number i is seeded with seed + i. With
    the extra `compiled` the step is compiled.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 10}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        num_envs: int = 1,
        *,
        max_steps: int = 600,
        seed: int | None = 42,
        imbalance_factor: float = 0.0,
        energy_imbalance: float = 0.0,
        agent_params: Mapping[int, Mapping[str, Any]] | None = None,
        histories: bool = True,
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.num_envs = num_envs = check_count("num_envs", num_envs)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(
                f"expected render_mode to be ansi or rgb_array: got {render_mode!r:.80}"
            )
        self.max_steps = check_count("max_steps", max_steps)
        self.energy_imbalance = check_share("energy_imbalance", energy_imbalance)
        self.terms = Terms(imbalance_factor, agents_of(agent_params))
        self.histories = histories
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_action_space = spaces.Discrete(len(ACTIONS))
        self.single_observation_space = spaces.Box(
            0.0, np.array([1, 1, np.inf] * 3, np.float32), dtype=np.float32
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        seeds = [None if seed is None else seed + place for place in range(num_envs)]
        self._drawn = [seeding.np_random(own) for own in seeds]
        self._tables, self._rules = Tables.of(self.terms), fastest()
        self._rooms = Rooms.empty(num_envs)
        self._everywhere = np.arange(num_envs)
        self._ended = np.zeros(num_envs, np.bool_)
        self._ginis: list[list[float]] = [[] for _ in range(num_envs)]
        self._counts: list[list[Ints]] = [[] for _ in range(num_envs)]
        self._begin(
            self._everywhere, (0.5, 0.5, 0.5)
        )  # no draw: the first one belongs to the first reset

    @property  # type: ignore[misc]  # read only, as SyncVectorEnv has it
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generators of all rooms."""
        return tuple(generator for generator, _ in self._drawn)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # as SyncVectorEnv has it
        """The seeds of all rooms' generators."""
        return tuple(seed for _, seed in self._drawn)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin episodes in all rooms, or in those that `options["reset_mask"]` marks; "energy" sets their start."""
        seeds = (
            [seed + place for place in range(self.num_envs)]
            if isinstance(seed, int | np.integer)
            else seed
        )
        if seeds is not None and len(seeds) != self.num_envs:
            raise ValueError(f"expected a seed for each of {self.num_envs} rooms: got {len(seeds)}")
        places = reset_places((options or {}).get("reset_mask"), self.num_envs)
        energy = (options or {}).get("energy")
        start = (
            None if energy is None else first_state(energy).energy
        )  # what cannot be is refused before a new seed
        drawn = [*self._drawn]
        for place, own in enumerate(seeds or ()):
            if own is not None and place in places:
                drawn[place] = seeding.np_random(own)
        self._drawn = drawn
        self._begin(places, start)
        self._ended[places] = False
        return self._observed(), self._infos(
            places, np.zeros(self.num_envs), np.full(self.num_envs, -1)
        )

    def step(self, actions: Any) -> tuple[NDArray[np.float32], Floats, Bools, Bools, Info]:
        """Do one step in every room; ValueError, and nothing has changed, unless all actions are from 0 to 7."""
        waiting = (
            self._ended
            if self.autoreset_mode is AutoresetMode.NEXT_STEP
            else np.zeros(self.num_envs, np.bool_)
        )
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise ValueError(
                "expected the rooms whose episode is over to be reset first, by options={'reset_mask': ...}"
            )
        chosen = self._checked(actions, ~waiting)
        rewards, ginis = self._rules.step_rooms(self._rooms, chosen, self._tables)
        again = np.flatnonzero(waiting)
        if self._recorded:
            self._record(np.flatnonzero(~waiting), ginis)
        truncated = self._rooms.counter >= self.max_steps
        equality = 1 - ginis
        if len(again):
            self._begin(again, None)
            rewards[again], equality[again], chosen[again], truncated[again] = 0.0, 0.0, -1, False
        over = np.flatnonzero(truncated)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and len(over):
            infos = self._finals(over, equality, chosen)
            self._begin(over, None)
            equality[over], chosen[over] = 0.0, -1
            infos |= self._infos(self._everywhere, equality, chosen)
        else:
            infos = self._infos(self._everywhere, equality, chosen)
        self._ended = truncated.copy()
        return self._observed(), rewards, np.zeros(self.num_envs, np.bool_), truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """Return the picture or the text of each room."""
        from engine.games.guest.picture import draw_picture, draw_text

        if self.render_mode is None:
            return None
        states = [self._rooms.state(place) for place in range(self.num_envs)]
        if self.render_mode == "ansi":
            return tuple(draw_text(state, self.terms, self.max_steps) for state in states)
        return tuple(
            draw_picture(state, self.terms, ginis, self.max_steps)
            for state, ginis in zip(states, self._ginis, strict=True)
        )

    def _begin(self, places: Ints, energy: Sequence[float] | None) -> None:
        if energy is not None:
            starts = np.tile(energy, (len(places), 1))
        elif self.energy_imbalance > 0:
            starts = np.tile(skew_energies(self.energy_imbalance), (len(places), 1))
        else:
            starts = np.array([self._drawn[place][0].uniform(0.4, 0.6, 3) for place in places])
        self._rooms.begin(places, starts)
        for place in places if self._recorded else ():
            self._ginis[place], self._counts[place] = [], []

    @property
    def _recorded(self) -> bool:
        return self.histories or self.render_mode is not None

    def _record(self, places: Ints, ginis: Floats) -> None:
        for place in places:
            self._ginis[place].append(float(ginis[place]))
            self._counts[place].append(self._rooms.phonemes[place].copy())

    def _checked(self, actions: Any, played: Bools) -> Ints:
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(
                f"expected {self.num_envs} actions, whole numbers from 0 to 7: got {actions!r:.80}"
            )
        if chosen.min() < 0 or chosen.max() >= len(ACTIONS):
            wrong = chosen[played & ((chosen < 0) | (chosen >= len(ACTIONS)))]
            if len(wrong):
                raise ValueError(f"expected an action from 0 to {len(ACTIONS) - 1}: got {wrong[0]}")
        return np.where(played, chosen, 0).astype(np.int64)

    def _observed(self) -> NDArray[np.float32]:
        seen: NDArray[np.float32] = self._rules.observed(self._rooms, self._tables)
        return seen

    def _infos(self, places: Ints, equality: Floats, actions: Ints) -> Info:
        """Return the infos of the rooms at `places`, each key beside a mask of the rooms that have it."""
        rooms, some = self._rooms, np.zeros(self.num_envs, np.bool_)
        some[places] = True
        parts: Info = {
            "num_of_step_env": rooms.counter,
            "phoneme": rooms.phonemes,
            "actions_stats": rooms.stats,
            "env_reward": equality,
            "action_number": actions,
            "speaker": rooms.speaker,
            "action_mask": MASKS.take((rooms.speaker >= 0).astype(np.int8), axis=0),
        }
        whole = len(places) == self.num_envs
        infos: Info = {}
        for name, values in parts.items():
            infos[name] = values.copy() if whole else marked(values, some)
            infos[f"_{name}"] = some.copy()
        if self.histories:
            for name in ("gini_history", "phoneme_history"):
                infos[name], infos[f"_{name}"] = (
                    np.full(self.num_envs, None, dtype=object),
                    some.copy(),
                )
            for place in places:
                infos["gini_history"][place] = [*self._ginis[place]]
                infos["phoneme_history"][place] = [counts.copy() for counts in self._counts[place]]
        return infos

    def _finals(self, over: Ints, equality: Floats, actions: Ints) -> Info:
        """Return what Gymnasium tells of episodes that end in the step in which the next one begins."""
        mask = np.zeros(self.num_envs, np.bool_)
        mask[over] = True
        last, seen = np.full(self.num_envs, None, dtype=object), self._observed()
        for place in over:
            last[place] = seen[place].copy()
        final = self._infos(over, equality, actions)
        return {
            "final_obs": last,
            "_final_obs": mask,
            "final_info": final,
            "_final_info": mask.copy(),
        }


def fastest() -> Any:
    """Return the module that steps many rooms: the compiled one if numba is installed."""
    if find_spec("numba") is None:
        return arrays
    from engine.labs.guest import compiled

    return compiled


def reset_places(mask: Any, number: int) -> Ints:
    """Return where `mask` is true, everywhere if it is None; ValueError for what is no mask of `number` rooms."""
    if mask is None:
        return np.arange(number)
    if (
        not isinstance(mask, np.ndarray)
        or mask.shape != (number,)
        or mask.dtype != np.bool_
        or not mask.any()
    ):
        raise ValueError(
            f"expected reset_mask to be {number} bools, at least one of them True: got {mask!r:.80}"
        )
    return np.flatnonzero(mask)


def marked(values: NDArray[Any], some: Bools) -> NDArray[Any]:
    """Return a copy of `values` that is 0 where `some` is false."""
    chosen = np.zeros_like(values)
    chosen[some] = values[some]
    return chosen
