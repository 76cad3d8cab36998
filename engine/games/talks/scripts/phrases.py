"""How scripted participants talk: an opening for each personality, and the words of each move."""

from types import MappingProxyType

from engine.games.talks.archetypes import Move, PersonalityArchetype

OPENINGS = MappingProxyType(
    {
        PersonalityArchetype.ANALYTICAL: (
            "Let me define the terms first.", "Two cases need separating here.", "What evidence would settle that?",
            "Step by step, then.", "I count three assumptions in this.", "Precision helps:",
        ),
        PersonalityArchetype.COLLABORATIVE: (
            "I think we can find common ground here.", "I like where this is going.",
            "We may be closer than it sounds.",
            "Let us build on that together.", "There is something in what each of you says.", "What if we join hands:",
        ),
        PersonalityArchetype.ASSERTIVE: (
            "I will say it plainly.", "Make no mistake.", "Here is what matters.", "The answer is clear to me.",
            "Let us stop avoiding it.", "No more detours:",
        ),
        PersonalityArchetype.CAUTIOUS: (
            "Perhaps, though I may be wrong.", "I would be careful here.", "As far as I can tell, it depends.",
            "I hesitate to say this.", "It seems to me, with all due doubt, that much is open.", "Tentatively:",
        ),
        PersonalityArchetype.CREATIVE: (
            "Picture a river that makes its own bed.", "Turn the canvas upside down for a moment.",
            "I hear a melody under all this.", "Imagine a garden with two gates.", "Let me tell it as a story.",
            "A strange image comes to mind:",
        ),
        PersonalityArchetype.SKEPTICAL: (
            "I am not convinced.", "Who says so?", "The premise assumes what it should prove.",
            "Let me play devil's advocate.", "That is too comfortable for my taste.",
            "Nobody has ruled out the opposite.",
        ),
    }
)  # fmt: skip
MOVES = MappingProxyType(
    {
        Move.DEEPEN: (
            "What lies beneath {s}, though?",
            "Go one floor down.",
            "Ask what makes that possible at all.",
        ),
        Move.CHALLENGE: (
            "I disagree with your premise, {t}: you said that {p}.",
            "{t}, is it really true that {p}?",
            "I doubt one step of {t}'s: that {p}.",
        ),
        Move.SUPPORT: (
            "Exactly, {t}, and furthermore it fits that {p}.",
            "{t} is right that {p}.",
            "I would build on {t}'s thought that {p}.",
        ),
        Move.QUESTION: (
            "Could you elaborate, {t}, on what you mean by {l}?",
            "{t}, what exactly do you understand by {l}?",
            "Help me with one word, {t}: {l}.",
        ),
        Move.SYNTHESIZE: (
            "Both {l} and {k} belong to one picture.",
            "Put {l} beside {k}, and each explains what the other leaves out.",
            "What has been said of {l} and of {k} meets in the middle.",
        ),
        Move.CONCLUDE: (
            "I think we have explored {s} thoroughly: {l}, {k}, and what lies between.",
            "We have come far with {s}; from {l} to {k}, I see no open end that I could close tonight.",
            "For my part the talk may rest here, with {l} and {k} on the table.",
            "Let us call it a day: {l} was the surprise of this evening.",
            "I have nothing to add to {k}, and I am glad to have heard about {l}.",
            "Time to close the book; the chapter on {l} was worth it.",
        ),
    }
)
MUSINGS = (
    "What {l} costs, and who pays the bill, has not been counted.",
    "Sleep on {l}, and the morning may answer.",
    "My doubts about {l} are smaller than an hour ago.",
    "Someone should write down where {l} ends.",
    "I would trade two theories for one good example of {l}.",
    "The quiet part is {l}; listen to it.",
    "Yesterday I would have laughed about {l}, and today I take notes.",
    "If a child asked me about {l}, I would point instead of talk.",
    "There are rooms in {l} that none of us has entered.",
    "Between hope and habit, {l} keeps its balance.",
    "A friend of mine lost years over {l} and regrets none of them.",
    "Remove {l} from the table, and see whether the legs still stand.",
)
AGAIN = ("As I said before: {p}.", "I keep coming back to it: {p}.", "I can only repeat that {p}.")
