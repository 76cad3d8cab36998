"""GuestVectorEnv: many sessions in one environment, equivalent to SyncVectorEnv over GuestEnv."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from engine.games.guest.arrays import MASKS, Floats, Ints, Tables
from engine.games.guest.rules import ACTIONS, check_count, skew_energies, start_state
from labs.guest import arrays
from labs.guest.arrays import Rooms
from labs.guest.environment import GuestEnv, Info, check_render_mode, draw_room

Bools = NDArray[np.bool_]
Seen = NDArray[np.float32]
Step = Callable[[Rooms, Ints, Tables], tuple[Floats, Floats]]
Observe = Callable[[Rooms, Tables], Seen]


class GuestVectorEnv(VectorEnv[Seen, Ints, NDArray[Any]]):
    """Runs `num_envs` independent sessions under the same terms; parameters are as for GuestEnv.

    Observations are float32 of shape (num_envs, 9), rewards are float64, and terminations and
    truncations are bool. Infos are batched as in Gymnasium. Room i is seeded with seed + i. With
    the extra `compiled`, the step is compiled.
    """

    metadata = {  # noqa: RUF012 - as in Gymnasium
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 10,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        seed: int | None = 42,
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **terms: Any,
    ) -> None:
        self.num_envs = check_count("num_envs", num_envs)
        single = GuestEnv(**terms)
        self.max_steps = single.max_steps
        self.energy_imbalance = single.energy_imbalance
        self.terms = single.terms
        self.histories = single.histories
        self.single_action_space = single.action_space
        self.single_observation_space = single.observation_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self._open_rooms(seed)

    def _open_rooms(self, seed: int | None) -> None:
        number = self.num_envs
        self._drawn = [seeding.np_random(own) for own in self._seeds_of(seed)]
        self._tables = Tables.of(self.terms)
        self._step_rooms, self._observe_rooms = fastest_backend()
        self._rooms = Rooms.empty(number)
        self._everywhere = np.arange(number)
        self._ended = np.zeros(number, np.bool_)
        self._ginis: list[list[float]] = [[] for _ in range(number)]
        self._counts: list[list[Ints]] = [[] for _ in range(number)]
        # This draws nothing, because the first draws of the seeds belong to the first reset.
        self._begin(self._everywhere, (0.5, 0.5, 0.5))

    # Both properties are read-only, as in SyncVectorEnv.
    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generators of all rooms."""
        return tuple(generator for generator, _ in self._drawn)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds of all rooms' generators."""
        return tuple(seed for _, seed in self._drawn)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Info | None = None,
    ) -> tuple[Seen, Info]:
        """Begin episodes in all rooms, or only in the rooms that `options["reset_mask"]` marks.

        `options["energy"]` sets the initial energies.
        """
        options = options or {}
        seeds = self._seeds_of(seed)
        places = reset_places(options.get("reset_mask"), self.num_envs)
        # Check the energies before the new seeds take effect.
        start = options.get("energy")
        start = None if start is None else start_state(start).energy
        # An invalid seed leaves the generators of all rooms unchanged.
        drawn = [*self._drawn]
        for place in places:
            room_seed = seeds[place]
            if room_seed is not None:
                drawn[place] = seeding.np_random(room_seed)
        self._drawn = drawn
        self._begin(places, start)
        self._ended[places] = False
        nothing, none = np.zeros(self.num_envs), np.full(self.num_envs, -1)
        return self._observed(), self._infos(places, nothing, none)

    def _seeds_of(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        """Return the seed of each room, or None if its generator continues."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [seed + place for place in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"expected a seed for each of {self.num_envs} rooms: got {len(seed)}")
        return seed

    def step(self, actions: Any) -> tuple[Seen, Floats, Bools, Bools, Info]:
        """Step every room once; raise ValueError for an invalid action, before anything changes."""
        waiting = self._waiting()
        chosen = self._checked(actions, ~waiting)
        rewards, ginis = self._step_rooms(self._rooms, chosen, self._tables)
        if self._recorded:
            self._record(np.flatnonzero(~waiting), ginis)
        truncated = self._rooms.counter >= self.max_steps
        equality = 1 - ginis
        again = np.flatnonzero(waiting)
        if len(again):
            self._begin(again, None)
            rewards[again] = 0.0
            equality[again] = 0.0
            chosen[again] = -1
            truncated[again] = False

        infos: Info = {}
        over = np.flatnonzero(truncated)
        restarts = self.autoreset_mode is AutoresetMode.SAME_STEP
        if restarts and len(over):
            infos = self._finals(over, equality, chosen)
            self._begin(over, None)
            equality[over] = 0.0
            chosen[over] = -1
        infos |= self._infos(self._everywhere, equality, chosen)
        self._ended = truncated.copy()
        terminated = np.zeros(self.num_envs, np.bool_)
        return self._observed(), rewards, terminated, truncated, infos

    def _waiting(self) -> Bools:
        """Return a mask of rooms that only restart now; raise ValueError if one needs a reset."""
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            return self._ended
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise ValueError(
                "expected the rooms whose episode is over to be reset first, "
                "by options={'reset_mask': ...}"
            )
        return np.zeros(self.num_envs, np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Return the picture or the text of each room."""
        if self.render_mode is None:
            return None
        shown = []
        for place, ginis in enumerate(self._ginis):
            state = self._rooms.state(place)
            shown.append(draw_room(self.render_mode, state, self.terms, ginis, self.max_steps))
        return tuple(shown)

    def _begin(self, places: Ints, energy: Sequence[float] | None) -> None:
        self._rooms.begin(places, self._starts(places, energy))
        if self._recorded:
            for place in places:
                self._ginis[place] = []
                self._counts[place] = []

    def _starts(self, places: Ints, energy: Sequence[float] | None) -> Floats:
        """Return the initial energies of the rooms at `places`, of shape (len(places), 3)."""
        if energy is None and self.energy_imbalance > 0:
            energy = skew_energies(self.energy_imbalance)
        if energy is not None:
            return np.tile(energy, (len(places), 1))

        drawn = []
        for place in places:
            generator, _ = self._drawn[place]
            drawn.append(generator.uniform(0.4, 0.6, 3))
        return np.array(drawn)

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
        last = len(ACTIONS) - 1
        wrong = chosen[played & ((chosen < 0) | (chosen > last))]
        if len(wrong):
            raise ValueError(f"expected an action from 0 to {last}: got {wrong[0]}")
        return np.where(played, chosen, 0).astype(np.int64)

    def _observed(self) -> Seen:
        return self._observe_rooms(self._rooms, self._tables)

    def _infos(
        self,
        places: Ints,
        equality: Floats,
        actions: Ints,
    ) -> Info:
        """Return the infos of the rooms at `places`, with a mask of these rooms for each key."""
        some = np.zeros(self.num_envs, np.bool_)
        some[places] = True
        whole = len(places) == self.num_envs
        rooms = self._rooms
        infos: Info = {
            "num_of_step_env": rooms.counter,
            "phoneme": rooms.phonemes,
            "actions_stats": rooms.stats,
            "env_reward": equality,
            "action_number": actions,
            "speaker": rooms.speaker,
            "action_mask": MASKS.take(rooms.speaker >= 0, axis=0),
        }
        for name, values in infos.items():
            infos[name] = values.copy()
            if not whole:
                infos[name][~some] = 0
        if self.histories:
            infos |= self._copy_histories(places)
        return with_masks(infos, some)

    def _copy_histories(self, places: Ints) -> Info:
        """Return the histories of the rooms at `places`, with None for all other rooms."""
        ginis = np.full(self.num_envs, None, dtype=object)
        phonemes = np.full(self.num_envs, None, dtype=object)
        for place in places:
            ginis[place] = [*self._ginis[place]]
            phonemes[place] = [counts.copy() for counts in self._counts[place]]
        return {"gini_history": ginis, "phoneme_history": phonemes}

    def _finals(
        self,
        over: Ints,
        equality: Floats,
        actions: Ints,
    ) -> Info:
        """Return Gymnasium's final infos for episodes whose last step also begins a new episode."""
        mask = np.zeros(self.num_envs, np.bool_)
        mask[over] = True
        last = np.full(self.num_envs, None, dtype=object)
        seen = self._observed()
        for place in over:
            last[place] = seen[place].copy()
        final = self._infos(over, equality, actions)
        return with_masks({"final_obs": last, "final_info": final}, mask)


def fastest_backend() -> tuple[Step, Observe]:
    """Return the functions that step and observe many rooms, compiled if numba is installed."""
    if find_spec("numba") is None:
        return arrays.step_rooms, arrays.observe_rooms
    from labs.guest import compiled

    return compiled.step_compiled, compiled.observe_compiled


def reset_places(mask: Any, number: int) -> Ints:
    """Return the indices where `mask` is true, or all for None; raise ValueError if malformed."""
    if mask is None:
        return np.arange(number)
    fits = isinstance(mask, np.ndarray) and mask.shape == (number,) and mask.dtype == np.bool_
    if not fits or not mask.any():
        expected = f"{number} bools, at least one of them True"
        raise ValueError(f"expected reset_mask to be {expected}: got {mask!r:.80}")
    return np.flatnonzero(mask)


def with_masks(values: Info, some: Bools) -> Info:
    """Return the values, each followed by a copy of `some`, the mask of the rooms it covers."""
    infos: Info = {}
    for name, value in values.items():
        infos[name] = value
        infos[f"_{name}"] = some.copy()
    return infos
