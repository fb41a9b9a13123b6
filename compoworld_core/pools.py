"""Word pools from which invented people, companies, products and texts are combined.

Nothing here names a real company; every domain made from these pools ends in `.example`.
"""

from __future__ import annotations

from attrs import frozen


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


FIRST_NAMES = _words(
    """
    Adela Adrian Agnes Aiko Alba Alina Alma Amara Amir Anders Andrea Anika Anton Ari Arlo Asha
    Astrid Aurel Ava Aziz Bastian Beatriz Bela Benedikt Bianca Bjorn Boris Brigit Bruno Camila
    Carlos Carmen Cecile Celia Chiara Clara Clement Cora Cyril Dagny Dana Daniela Dario Davide
    Delia Diego Dilan Dina Dora Edda Edgar Elena Elias Elif Elin Emil Enzo Erik Esme Estelle
    Eva Fabian Farah Fatima Felix Fiona Flora Franka Frida Gabriel Gemma Georg Gilda Gita
    Gordon Greta Gunnar Hana Hanno Harald Hassan Hedda Helena Henrik Hugo Ida Idris Ilse Imani
    Ines Ingrid Irma Isak Ivana Jakob Jamila Janek Jasper Jelena Joana Jonas Josefa Julian
    Kaia Kamal Karin Kaspar Katya Kenji Kiran Klara Kofi Lars Layla Leif Leila Lena Leon Liam
    Lidia Linnea Livia Lorenz Luca Lucia Ludvig Luis Maeve Magnus Malik Marek Margit Mariam
    Marta Mateo Matilda Maya Milan Mina Mirko Moira Nadia Naomi Nesrin Nico Nils Nina Noor Nora
    Odile Olga Olivia Omar Oscar Otto Pablo Paloma Pavel Pernille Petra Philippa Priya Quentin
    Rafael Ragna Raj Ramona Renata Rhea Rita Robin Rosa Ruben Sabine Salma Samir Sanna Saskia
    Selma Signe Simone Sofia Stella Sunniva Sven Tamar Tariq Teodor Tessa Thea Tilda Tobias
    Tomas Tove Ulrik Una Ursula Valentin Vera Viktor Viola Wanda Wilma Xenia Yara Yasmin Yuki
    Yusuf Zara Zelda Zoe
    """
)

LAST_NAMES = _words(
    """
    Abara Abbott Acosta Adeyemi Ahlgren Alvarado Amsel Anand Arnesen Aske Bakker Balogh Barlow
    Basu Becerra Bellamy Bergstrom Bianchi Birch Blom Bonnet Borg Brandt Brennan Brodie Bruun
    Calder Carrasco Castel Chaudhry Cibulka Claesson Conti Corrigan Costa Dahl Dalgaard Danso
    Delacroix Demir Desai Dietrich Dorsey Drake Duarte Eaton Ebner Egede Ekberg Elstad Escobar
    Eskola Fairley Falk Farkas Ferrante Fiala Finch Fjeld Forsyth Fournier Frost Gallo Garrick
    Ghosh Gilis Glover Gomes Grahn Grasso Guerin Gupta Haddad Halvorsen Hamdi Hanley Harada
    Hartwig Hedlund Heller Hirano Holt Horvat Huang Hurley Ibarra Ibsen Ivarsson Jansen Jarvis
    Jensen Joshi Juhasz Kaczmarek Kapoor Kaur Keller Kimura Klein Kovacs Kramer Kuusela Laine
    Lambrecht Larkin Laurent Leblanc Lemaire Lindqvist Lombardi Lund Maalouf Madsen Maguire
    Mahler Malone Marchetti Mazur Medina Mehta Menon Meyer Mikkola Molina Moreau Mori Musa Nagy
    Nakata Nazari Neumann Ngata Nilsen Nkosi Novak Nyberg Oakley Odum Okafor Okoye Olander
    Oliveira Onishi Orban Ortega Osei Pacheco Pahlavi Parekh Pavlik Pellegrini Petrov Pinto
    Popescu Prescott Quist Radic Rahman Ramos Rashid Reyes Rinaldi Rojas Rosen Ruiz Saarinen
    Sahin Salgado Sandoval Santoro Sasaki Schaefer Seidel Serrano Shah Sikora Silva Skoog
    Solberg Soto Stenberg Strand Suzuki Svoboda Szabo Tanaka Thorne Torres Tran Treloar Ueda
    Ulmer Urbano Vance Vargas Vasile Verma Villar Vinter Vogel Wachter Wahl Walsh Weiss Werner
    Wick Wolff Yamada Yilmaz Youssef Zaman Zapata Zeller Zielinski
    """
)

STEM_HEADS = _words(
    """
    Ald Ar Bel Bran Brix Cal Cor Dor Dun Fal Fen Fro Gar Gor Hol Ild Iver Jor Kel Kes Kor Lan
    Lor Lum Mor Nel Nim Nor Osk Pel Pren Quen Quil Ras Ros Rud Sel Sil Sorr Tal Tem Tor Val Ven
    Ves Wes Xan Yar Yel Zel Zor
    """
)

STEM_TAILS = _words(
    """
    acre andra beck bridge bury cairn cote crag dale dell den dine fell garth gate grove haven
    hollow holm hurst keld lea lock marsh mere nest ridge rook sand shaw side stad stead
    stow thwaite tide vale water wick
    """
)


@frozen
class Sector:
    """A line of business: the word in company names and the industry it stands for."""

    word: str
    industry: str


SECTORS = (
    Sector("Analytics", "software"),
    Sector("Apparel", "fashion"),
    Sector("Architects", "architecture"),
    Sector("Audio", "consumer electronics"),
    Sector("Bakeries", "food and drink"),
    Sector("Biotech", "life sciences"),
    Sector("Books", "publishing"),
    Sector("Capital", "financial services"),
    Sector("Ceramics", "manufacturing"),
    Sector("Chemicals", "chemicals"),
    Sector("Clinics", "health care"),
    Sector("Coffee", "food and drink"),
    Sector("Components", "manufacturing"),
    Sector("Construction", "construction"),
    Sector("Consulting", "professional services"),
    Sector("Cycles", "consumer goods"),
    Sector("Dental", "health care"),
    Sector("Design", "design"),
    Sector("Energy", "energy"),
    Sector("Events", "events"),
    Sector("Farms", "agriculture"),
    Sector("Foods", "food and drink"),
    Sector("Freight", "logistics"),
    Sector("Furniture", "consumer goods"),
    Sector("Gardens", "consumer goods"),
    Sector("Health", "health care"),
    Sector("Hotels", "travel"),
    Sector("Instruments", "manufacturing"),
    Sector("Insurance", "financial services"),
    Sector("Labs", "software"),
    Sector("Learning", "education"),
    Sector("Logistics", "logistics"),
    Sector("Marine", "shipping"),
    Sector("Media", "media"),
    Sector("Mills", "manufacturing"),
    Sector("Motors", "automotive"),
    Sector("Optics", "manufacturing"),
    Sector("Packaging", "manufacturing"),
    Sector("Partners", "professional services"),
    Sector("Pharma", "life sciences"),
    Sector("Print", "publishing"),
    Sector("Robotics", "manufacturing"),
    Sector("Software", "software"),
    Sector("Solar", "energy"),
    Sector("Sports", "consumer goods"),
    Sector("Studios", "media"),
    Sector("Supply", "wholesale"),
    Sector("Systems", "software"),
    Sector("Textiles", "fashion"),
    Sector("Tools", "manufacturing"),
    Sector("Travel", "travel"),
    Sector("Ventures", "financial services"),
)


@frozen
class Country:
    """A country as people, companies and phone numbers in a cast know it."""

    code: str
    """ISO 3166 alpha-2."""
    name: str
    calling: str
    """International calling code, digits only."""
    groups: tuple[int, ...]
    """Digits per group of a national number without its trunk prefix."""
    area: str
    """Fixed first group, or empty to draw one."""
    cities: tuple[str, ...]


def _country(
    code: str, name: str, calling: str, groups: str, area: str, cities: str
) -> Country:
    return Country(
        code, name, calling, tuple(int(g) for g in groups), area, tuple(cities.split(", "))
    )


HOME_COUNTRIES = (
    _country("US", "United States", "1", "334", "555", "Portland, Denver, Austin, Chicago"),
    _country("CA", "Canada", "1", "334", "555", "Toronto, Halifax, Calgary, Victoria"),
    _country("GB", "United Kingdom", "44", "244", "", "Leeds, Bristol, Norwich, Glasgow"),
    _country("IE", "Ireland", "353", "234", "", "Cork, Galway, Limerick, Dublin"),
    _country("DE", "Germany", "49", "334", "", "Hamburg, Leipzig, Bremen, Mainz"),
    _country("FR", "France", "33", "12222", "", "Lyon, Nantes, Lille, Rennes"),
    _country("NL", "Netherlands", "31", "234", "", "Utrecht, Delft, Arnhem, Breda"),
    _country("ES", "Spain", "34", "333", "", "Bilbao, Valencia, Sevilla, Oviedo"),
    _country("IT", "Italy", "39", "334", "", "Turin, Bologna, Verona, Trieste"),
    _country("SE", "Sweden", "46", "234", "", "Uppsala, Lund, Gothenburg, Umea"),
    _country("DK", "Denmark", "45", "2222", "", "Aarhus, Odense, Aalborg, Copenhagen"),
    _country("NO", "Norway", "47", "323", "", "Bergen, Oslo, Tromso, Stavanger"),
    _country("PL", "Poland", "48", "333", "", "Gdansk, Poznan, Krakow, Lublin"),
    _country("PT", "Portugal", "351", "333", "", "Porto, Braga, Coimbra, Lisbon"),
    _country("JP", "Japan", "81", "244", "", "Osaka, Kobe, Sendai, Nagoya"),
    _country("AU", "Australia", "61", "144", "", "Hobart, Perth, Adelaide, Brisbane"),
    _country("IN", "India", "91", "55", "", "Pune, Kochi, Jaipur, Mysore"),
    _country("BR", "Brazil", "55", "254", "", "Curitiba, Recife, Santos, Belem"),
)

STAFF_TITLES = _phrases(
    """
    Account manager, Support engineer, Operations lead, Finance analyst, Product manager,
    Software engineer, Sales representative, People partner, Marketing specialist,
    Data analyst, Office manager, Quality lead, Purchasing officer, Project manager,
    Customer success manager, Legal counsel, Controller, Designer, Security engineer,
    Head of operations
    """
)

CUSTOMER_TITLES = _phrases(
    """
    Buyer, Owner, Purchasing manager, Chief executive, Operations manager, Finance manager,
    Head of procurement, Office manager, IT manager, Marketing director, Plant manager,
    Logistics coordinator, Accountant, Managing director, Project lead, Facilities manager
    """
)

PRODUCT_LINES = _words(
    """
    Arden Borel Cascade Delmar Everline Fenwick Gable Harrow Inlet Juniper Kestrel Lattice
    Meridian Nimbus Orchard Pinnacle Quarry Ridge Summit Tandem Upland Vista Willow Zephyr
    """
)

PRODUCT_NOUNS = _phrases(
    """
    Desk Lamp, Office Chair, Standing Desk, Label Printer, Barcode Scanner, Water Filter,
    Tool Case, Storage Rack, Travel Mug, Backpack, Notebook Set, Headset, Keyboard, Monitor Arm,
    Charging Dock, Floor Mat, Coffee Grinder, Air Purifier, Safety Vest, Work Gloves,
    Extension Cable, Whiteboard, Cargo Trolley, First Aid Kit, Card Reader, Thermal Camera
    """
)

TOPICS = _phrases(
    """
    Launch plan, Budget check, Contract draft, Data export, Vendor audit, Warehouse move,
    Security review, Site visit, Renewal terms, Price list, Onboarding, Delivery schedule,
    Quarterly report, Staff training, Website refresh, Stock count, Payment run, Trade fair,
    Hiring round, Service outage, Support backlog, Customer survey, Billing dispute,
    Office lease, Product recall, Sample order, Travel policy, Access request, Backup test,
    Press release, Tax filing, Equipment repair, Shipping delay, Partner meeting,
    Roadmap session, Feedback round, License renewal, Insurance claim, Catering order,
    Logo redesign
    """
)

TOPIC_FORMS = _words(
    """
    agenda checklist details follow-up handover kickoff memo minutes notes outline overview
    preparation proposal questions recap schedule status summary update workshop
    """
)

SENTENCES = (
    "Notes on the {topic} with {company}.",
    "{company} asked for an update on the {topic}.",
    "The {topic} is on the list for this month.",
    "Please look at the {topic} before the next meeting.",
    "{first} will take care of the {topic}.",
    "We agreed with {company} to continue with the {topic}.",
    "The {topic} took longer than planned.",
    "Waiting for {first} to confirm the {topic}.",
    "{company} has no open questions about the {topic}.",
    "Shared the {topic} with the team.",
)

TAGS = _words(
    """
    priority review internal external follow-up finance legal onboarding renewal archive draft
    urgent logistics marketing sales support research planning quality training hiring travel
    contract partner
    """
)

STATUSES = _phrases("open, pending, in progress, on hold, done, cancelled, closed, draft")

CURRENCIES = _words("USD EUR GBP CHF SEK NOK DKK PLN CAD AUD JPY INR")

FILE_EXTENSIONS = _words("pdf docx xlsx csv pptx txt png")
