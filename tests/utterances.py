"""Utterances of three sentences with one that says the same in other words and one that brings a new argument."""

from typing import NamedTuple


class Case(NamedTuple):
    """What was said, the same restated, and what else may be said about the topic."""

    said: str
    restated: str
    new: str


CASES = (
    Case(
        "Love is first of all a decision to care for somebody. Feelings come and go like the weather. What stays is the "
        "promise we keep when the feelings are gone.",
        "To love somebody is above all to decide to care. Our feelings change like weather, they come and they go. The "
        "promise that we keep afterwards is what remains of love.",
        "Biologists can point at oxytocin and at the bonding of prairie voles. Evolution paid for attachment because "
        "infants starve alone. Chemistry explains the ache better than poetry does.",
    ),
    Case(
        "Consciousness cannot be reduced to neurons firing in the brain. A full map of the neurons would still leave out "
        "what pain feels like. So experience is something over and above the brain.",
        "You cannot reduce consciousness to firing neurons. Even if the whole brain were mapped, neuron by neuron, what "
        "pain feels like would be left out. Experience is therefore more than the brain.",
        "Thermostats react too, and nobody pities them. We grant an inner life by analogy with our own behaviour. That "
        "habit tells us about our manners, not about the world.",
    ),
    Case(
        "Free will needs the ability to have done otherwise. If every choice follows from the past by laws, nobody could "
        "have done otherwise. Then blame and praise lose their ground.",
        "Without being able to do otherwise there is no free will. When laws and the past fix every choice, nobody could "
        "do otherwise. That takes away the ground of praise and of blame.",
        "Courts keep dangerous men locked up for the safety of their neighbours. Prevention does not ask about "
        "metaphysics. A quarantine is fair without any guilt at all.",
    ),
    Case(
        "An artificial intelligence should have rights as soon as it can suffer. Suffering is what makes a being matter "
        "morally. Silicon or flesh makes no difference to suffering.",
        "As soon as an artificial intelligence is able to suffer, it should be given rights. What makes a being matter "
        "morally is suffering. Whether it is made of flesh or silicon is no difference.",
        "Companies would hide behind their own products in court. A chatbot that owns property shields the shareholders "
        "from every lawsuit. Liability has to stay with those who earn the money.",
    ),
    Case(
        "The meaning of life is not found but made. Each of us gives meaning to our own days by the projects we choose. "
        "Nobody else can choose those projects for us.",
        "We do not find the meaning of life, we make it. By choosing our projects each of us gives our days their "
        "meaning. Those choices cannot be made by anybody else.",
        "Monks in many traditions report peace exactly when they stop striving. Silence, fasting and prayer loosen the "
        "grip of ambition. Perhaps the search itself is the illness.",
    ),
    Case(
        "Democracy works because many ordinary voters know more than a few experts. Their errors cancel each other out in "
        "a large vote. That is why the crowd is so often right.",
        "In a democracy a lot of ordinary voters together know more than few experts do. In a large vote the errors "
        "cancel out. So the crowd is right surprisingly often.",
        "Newspapers are owned by five families in my country. Whoever sets the headlines sets the mood of the street. "
        "Propaganda needs no majority of brains, only of screens.",
    ),
    Case(
        "Lying is wrong even when the lie is kind. The one who is lied to cannot decide freely any more. Respect for a "
        "person means leaving the decision with them.",
        "Even a kind lie is wrong. Whoever is lied to is no longer free to decide. Respecting persons means that the "
        "decision is left to them.",
        "A doctor in the war told dying soldiers that rescue was near. They slept, and two of them lived to see spring. "
        "Morale is medicine, and despair kills faster than shrapnel.",
    ),
    Case(
        "Time does not flow at all. Past and future exist just as the present does, like places on a map. Only our memory "
        "makes it seem that time flows.",
        "There is no flow of time. Like places on a map, past, present and future all exist. That time seems to flow is "
        "the work of our memory.",
        "Milk goes sour and cups break, never the reverse. Entropy gives every kitchen its arrow. Any theory that treats "
        "yesterday and tomorrow alike must explain my breakfast.",
    ),
    Case(
        "Art should disturb us rather than please us. A painting that only pleases confirms what we knew before. "
        "Disturbing art opens our eyes to something new.",
        "Rather than please, art ought to disturb us. If a painting only pleases, it confirms what was known before. Art "
        "that disturbs can open our eyes to new things.",
        "Craftsmen in medieval guilds never asked about originality. Cathedral carvers repeated patterns for centuries "
        "with pride. Skill handed down across generations deserves more honour than scandal.",
    ),
    Case(
        "Machines will never really understand language. They only shuffle symbols by rules. Understanding needs a body "
        "that lives among the things the symbols stand for.",
        "No machine will ever understand a language. All it does is shuffle symbols according to rules. Real "
        "understanding needs a living body among the things that symbols stand for.",
        "My grandmother was blind and talked about colours with taste. She had learned crimson from novels and gossip. "
        "Second-hand knowledge carries us further than philosophers admit.",
    ),
    Case(
        "Justice means that the worst off live as well as possible. Behind a veil of ignorance nobody would gamble on "
        "being poor. So inequality is only just when it helps the poor.",
        "A just society is one in which the worst off live as well as they can. Nobody behind a veil of ignorance would "
        "gamble on ending up poor. Inequality is just only if it helps poor people.",
        "Taxes on labour discourage nurses from taking extra shifts. Enterprise withers when every reward is skimmed by "
        "officials. Liberty to trade has fed more families than any ministry.",
    ),
    Case(
        "Happiness cannot be the goal of a good life. People who chase happiness rarely reach it. It comes by itself to "
        "those who care about something else.",
        "A good life cannot have happiness as its goal. Those who chase happiness seldom reach it. It comes on its own to "
        "people caring for something else.",
        "Surveys from Denmark to Bhutan ask thousands how satisfied they are. Income, trust and sleep predict the answers "
        "with stubborn accuracy. Statistics beat proverbs in this department.",
    ),
    Case(
        "Science cannot tell us what we ought to do. It describes how the world is, and nothing follows from that about "
        "how it ought to be. Values must come from somewhere else.",
        "What we ought to do, science cannot tell. It describes the world as it is, and from that nothing follows about "
        "how the world ought to be. Our values have to come from elsewhere.",
        "Vaccines ended smallpox, and villages danced. Anyone who watched a child recover has little patience for subtle "
        "distinctions. Laboratories have saved more souls than sermons.",
    ),
    Case(
        "Personal identity rests on memory. I am the same person as the child in the photograph because I remember its "
        "days. Lose all memory, and the person is gone.",
        "Memory is what personal identity rests on. Because I remember the days of the child in that photograph, I am the "
        "same person. If all memory is lost, the person is gone too.",
        "Contracts, passports and family feasts tie names to faces. Society counts me as one citizen for the sake of "
        "debts and weddings. Bookkeeping, not introspection, holds the self together.",
    ),
    Case(
        "Animals deserve moral concern because they feel pain. The question is not whether they can reason or talk. A "
        "being that can feel pain has an interest in not feeling it.",
        "Because animals feel pain they deserve our moral concern. Whether they talk or reason is not the question. Any "
        "being able to feel pain has an interest in avoiding pain.",
        "Herders on the steppe cannot grow cabbages on frozen ground. Their culture, clothing and calendar depend upon "
        "the flock. Urban menus should not legislate for nomads.",
    ),
    Case(
        "Privacy is not about having something to hide. It gives people room to try out thoughts before they defend them. "
        "Under constant watching nobody dares to think aloud.",
        "Having something to hide is not what privacy is about. People need room in which thoughts can be tried out "
        "before defending them. Nobody dares think aloud while being watched constantly.",
        "Epidemics are traced by phone records within hours. Cancer registries found the asbestos link. Shared data "
        "rescues strangers whom no individual consent would have reached.",
    ),
    Case(
        "Mathematics is discovered, not invented. The primes were infinite before anybody proved it. A truth that does "
        "not depend on us cannot be our invention.",
        "We discover mathematics, we do not invent it. Before anyone proved it, there were infinitely many primes. What "
        "is true without depending on us is no invention of ours.",
        "Accountants in Sumer scratched tallies for sheep. Notation grew from granaries, surveyors and gamblers. Had our "
        "bodies been clouds, geometry would look very foreign.",
    ),
    Case(
        "Friendship is more important than justice. Among true friends no laws and no judges are needed. A city full of "
        "friends would have no use for courts.",
        "More important than justice is friendship. True friends need no judges and no laws among them. Courts would be "
        "of no use in a city full of friends.",
        "Nepotism begins with warm feelings at dinner. Jobs, permits and scholarships slide towards cousins. Strangers "
        "prosper only where clerks treat everybody coldly alike.",
    ),
    Case(
        "Work gives structure and dignity to life. People who lose their work often lose the sense of being needed. A "
        "basic income cannot replace the dignity of being needed.",
        "Life gets its structure and dignity from work. Losing work, people often lose their sense of being needed. That "
        "dignity of being needed cannot be replaced by a basic income.",
        "Aristocrats composed symphonies and catalogued beetles without any salary. Leisure, well supplied, has never "
        "lacked curiosity. Boredom is a symptom of poverty, not of freedom.",
    ),
    Case(
        "Technology is never neutral. Every tool invites some actions and makes others harder. Those who design our tools "
        "therefore shape how we live.",
        "No technology is neutral. Each tool invites certain actions while it makes others harder. So the people "
        "designing our tools shape the way we live.",
        "Peasants rejected the potato until a king posted guards around it. Fashion, envy and hunger decide what "
        "spreads. Inventors are usually the last to learn the purpose.",
    ),
    Case(
        "Death gives life its urgency. If we lived for ever, we could put off everything until tomorrow. Only because our "
        "days are numbered does it matter how we spend them.",
        "It is death that gives urgency to life. Living for ever, we could put everything off until tomorrow. How we "
        "spend our days matters only because they are numbered.",
        "Widows rarely praise the scarcity of breakfasts with their husbands. Grief shows plainly that loss is loss. "
        "Consolation dressed up as wisdom insults those in mourning.",
    ),
    Case(
        "Moral progress is real. We abolished slavery because we saw that it was wrong, not because tastes changed. To see "
        "that something was wrong all along is progress.",
        "There is real moral progress. Slavery was abolished because we saw it to be wrong, and not through a change of "
        "tastes. It is progress to see what was wrong all along.",
        "Cotton prices and steam engines shifted the balance long before the pamphlets. Factories wanted wage earners "
        "who could buy. Interests moved first, and conscience wrote the history afterwards.",
    ),
    Case(
        "Trust is the ground of all knowledge. Almost everything I believe I have from the testimony of others. If I "
        "trusted nobody, I would know next to nothing.",
        "All knowledge has its ground in trust. From the testimony of others I have almost everything that I believe. I "
        "would know next to nothing if I trusted nobody.",
        "Magicians make their living from eyewitnesses. Replication crises have emptied whole shelves of psychology. "
        "Only instruments that strangers can rebuild deserve our confidence.",
    ),
    Case(
        "Beauty lies in the eye of the beholder. What one culture finds beautiful another finds ugly. There is no "
        "standard of beauty outside of cultures.",
        "The eye of the beholder is where beauty lies. One culture finds ugly what another finds beautiful. Outside of "
        "cultures there is no standard for beauty.",
        "Newborns gaze longer at symmetrical faces within their first week. Bees prefer regular petals, too. Nature "
        "tuned nervous systems towards order for sound reasons of survival.",
    ),
)
