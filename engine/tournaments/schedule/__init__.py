"""The schedules, which decide which entrants sit at each table. The first is the default."""

from engine.tournaments.schedule.adaptive import Adaptive
from engine.tournaments.schedule.balanced import Balanced
from engine.tournaments.schedule.climb import Climb
from engine.tournaments.schedule.draw import Schedule
from engine.tournaments.schedule.fixed import Fixed

SCHEDULES: dict[str, type[Schedule]] = {
    "balanced": Balanced,
    "adaptive": Adaptive,
    "fixed": Fixed,
    "climb": Climb,
}
