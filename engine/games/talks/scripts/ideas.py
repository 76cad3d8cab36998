"""What scripted participants have to say: aspects of any topic, level by level, each with two sentences about it."""

from types import MappingProxyType
from typing import NamedTuple


class Idea(NamedTuple):
    """An aspect of a topic: its label, a sentence that claims something, one that goes on from it."""

    label: str
    claim: str
    more: str


IDEAS = MappingProxyType(
    {
        1: (
            Idea(
                "dictionary sense",
                "Dictionaries give {s} three entries, and none mentions the other two.",
                "A word with that many doors is easy to get lost in.",
            ),
            Idea(
                "everyday usage",
                "At breakfast tables nobody stumbles over {s}; the trouble starts in seminars.",
                "Ordinary speakers manage with a rough map.",
            ),
            Idea(
                "childhood picture",
                "My grandmother taught me what it is before I could spell.",
                "Children copy gestures long before they hear an explanation.",
            ),
            Idea(
                "feeling or act",
                "Half of us speak of an emotion, the other half of something that one does.",
                "An emotion arrives uninvited, while a deed needs a decision.",
            ),
            Idea(
                "neighbouring words",
                "Friendship, duty and pleasure live next door and borrow its furniture.",
                "Tell the neighbours apart first, and the house gets clearer.",
            ),
            Idea(
                "first impression",
                "Strangers on a train recognise it within seconds.",
                "Quick recognition proves familiarity rather than knowledge.",
            ),
            Idea(
                "public image",
                "Films sell it with violins and a sunset.",
                "Advertising shaped that picture more than experience did.",
            ),
            Idea(
                "its opposite",
                "Ask what would be missing on an island without it.",
                "An absence often has sharper edges than the thing itself.",
            ),
        ),
        2: (
            Idea(
                "origin in the brain",
                "Neurons reward whatever kept our ancestors alive, chemistry first.",
                "Dopamine does not read philosophy.",
            ),
            Idea(
                "power of habit",
                "Practice digs a groove: what is repeated daily becomes second nature.",
                "Aristotle would call it character built by exercise.",
            ),
            Idea(
                "mutual recognition",
                "It takes two: one person offers, another has to accept.",
                "Without an answer from across the table, nothing has happened.",
            ),
            Idea(
                "role of language",
                "Grammar decides what we can notice at all.",
                "People who lack a noun for it still dance around the gap.",
            ),
            Idea(
                "scarcity and value",
                "Gold is dear because there is little of it, and so are our hours.",
                "Mortality puts a price on every afternoon.",
            ),
            Idea(
                "freedom to choose",
                "Nothing that is forced upon a person deserves that name.",
                "Consent is the hinge on which the gate swings.",
            ),
            Idea(
                "underlying causes",
                "Behind every reason stands an older cause, like dolls inside dolls.",
                "Stop at the first doll and you mistake the paint for wood.",
            ),
            Idea(
                "trust",
                "Credit among merchants and credit among souls work alike: it is lent in advance.",
                "One default ruins a reputation that took decades.",
            ),
        ),
        3: (
            Idea(
                "hospital ward",
                "Nurses on a night shift settle it every evening, with a hand on a shoulder.",
                "Medicine measures fever, yet comfort leaves no number.",
            ),
            Idea(
                "classroom",
                "A teacher with thirty pupils cannot lecture on it; she has to show it.",
                "Schools grade essays and leave courage ungraded.",
            ),
            Idea(
                "court of law",
                "Judges rule on contracts, custody and harm, and must pretend the line is sharp.",
                "Precedent freezes yesterday's compromise into ink.",
            ),
            Idea(
                "work and wages",
                "A factory that pays by the piece buys hands and loses pride.",
                "Salaries answer how much, never what for.",
            ),
            Idea(
                "machines and software",
                "An algorithm that recommends songs already shapes what millions want.",
                "Engineers optimise a metric and ship the side effects.",
            ),
            Idea(
                "raising a family",
                "Parents trade sleep for it, and few would ask for a refund.",
                "Bedtime stories are policy on a small scale.",
            ),
            Idea(
                "city streets",
                "Benches in a park say more about it than a constitution does.",
                "Architects vote with concrete every morning.",
            ),
            Idea(
                "climate and harvest",
                "A farmer planting oaks will never sit in their shade.",
                "Soil keeps accounts that no election can postpone.",
            ),
            Idea(
                "old age",
                "In a nursing home the question loses its theory and keeps its weight.",
                "Visitors bring oranges, and what counts is that they came.",
            ),
        ),
        4: (
            Idea(
                "self-deception",
                "A gambler swears that he has a system; sincerity protects nobody from error.",
                "Mirrors flatter whoever pays for the glass.",
            ),
            Idea(
                "tyrant's example",
                "Dictators claimed it too, with parades and torches.",
                "A banner that every army carries cannot tell friend from foe.",
            ),
            Idea(
                "cultural difference",
                "In Kyoto and in Lagos the same gesture gets opposite answers.",
                "Anthropologists fill shelves with customs that refute our intuitions.",
            ),
            Idea(
                "lonely case",
                "Robinson alone on his beach is the test that most accounts fail.",
                "With no witness, half the vocabulary goes silent.",
            ),
            Idea(
                "infinite regress",
                "Justify it by something else, and that something begs for a justification too.",
                "The turtles do not stop because we are tired of counting.",
            ),
            Idea(
                "unequal burden",
                "Whoever washes the dishes pays for the host's generosity.",
                "Ideals are cheap for those with servants.",
            ),
            Idea(
                "measurement trouble",
                "Surveys ask for a number between one and ten, and get moods about the weather.",
                "A thermometer that changes the room is no thermometer.",
            ),
            Idea(
                "moral luck",
                "Two drivers look away; only one meets a child on the road.",
                "Chance hands out guilt with a blindfold on.",
            ),
            Idea(
                "divided loyalties",
                "Antigone buries a brother and breaks a law in the same motion.",
                "Some conflicts end in mourning, whichever side wins.",
            ),
        ),
        5: (
            Idea(
                "finitude",
                "Heidegger's clock ticks through the whole debate: what ends can matter.",
                "Immortals might postpone everything, including this.",
            ),
            Idea(
                "pluralism of frames",
                "Physics, poetry and prayer carve reality with different knives.",
                "No carving needs to embarrass the rest.",
            ),
            Idea(
                "limits of reason",
                "Kant drew a shore, and beyond it waves produce only antinomies.",
                "Knowing where thought stops is a result too.",
            ),
            Idea(
                "the observer",
                "Whoever asks is part of the picture, like a painter caught in the varnish.",
                "There is no balcony outside the theatre.",
            ),
            Idea(
                "language games",
                "Wittgenstein would let the fly out of the bottle rather than describe the glass.",
                "Some puzzles dissolve when the engine stops idling.",
            ),
            Idea(
                "cosmic scale",
                "Seen from Andromeda, our quarrel is a spark on a grain of sand.",
                "Smallness never made a spark less warm.",
            ),
            Idea(
                "method itself",
                "We have been testing answers; perhaps the test deserves an examination.",
                "A ruler cannot certify its own length.",
            ),
            Idea(
                "open ending",
                "Maybe an honest inquiry finishes with a better riddle instead of a verdict.",
                "Socrates left the market with fewer certainties than coins.",
            ),
            Idea(
                "emergence",
                "Wetness is found in no single molecule, and yet rivers flood.",
                "Wholes have habits that their parts never heard of.",
            ),
            Idea(
                "being and becoming",
                "Heraclitus and Parmenides still argue inside every definition.",
                "A verb may serve us better than a noun.",
            ),
        ),
    }
)
