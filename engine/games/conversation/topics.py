"""The names of subjects in a conversation whose settings give only their number."""

TOPICS = (
    "rivers", "jazz", "bread", "bridges", "dreams", "volcanoes", "chess", "bees", "trains",
    "poetry", "gardens", "tides", "robots", "markets", "owls", "maps", "tea", "comets", "theatre",
    "glaciers", "cats", "cathedrals", "cycling", "mushrooms", "money", "languages", "deserts",
    "football", "perfume", "whales", "clocks", "cheese", "myths", "forests", "photography",
    "elections", "dancing", "fossils", "islands", "novels", "soup", "satellites", "lighthouses",
    "weddings", "opera", "spiders", "schools", "snow", "cinema", "bicycles", "ghosts",
    "chocolate", "mountains", "painting", "neighbours", "vaccines", "kites", "coffee", "castles",
    "rain", "horses", "puzzles", "tattoos", "ferries", "philosophy", "magnets", "wine",
    "carnivals", "libraries", "earthquakes", "pottery", "swimming", "dinosaurs", "gossip",
    "caves", "spices", "violins", "cities", "penguins", "inventions", "sleep", "apples",
    "circuses", "statistics", "lakes", "fashion", "pirates", "insects", "radio", "prisons",
    "honey", "skyscrapers", "manners", "parrots", "astronomy", "salt", "migration", "sculpture",
    "noodles", "storms", "tennis", "fairy tales", "wolves", "museums", "memory", "windmills",
    "comics", "hotels", "orchids", "drums", "justice", "submarines", "pears", "grandparents",
    "silk", "puppets", "sailing", "crows", "mathematics", "toys",
)  # fmt: skip
