"""Names of places in English, where Mondial has those of the country or of German maps."""

from __future__ import annotations

COUNTRIES = {
    "Bonaire": "Caribbean Netherlands", "Cocos Islands": "Cocos (Keeling) Islands", "Congo, Dem.Rep.": "DR Congo",
    "Cote d'Ivoire": "Ivory Coast", "Czech Republic": "Czechia", "Macao": "Macau", "Pitcairn": "Pitcairn Islands",
    "Saint Helena": "Saint Helena, Ascension and Tristan da Cunha", "Svalbard": "Svalbard and Jan Mayen",
    "Virgin Islands": "United States Virgin Islands", "Gaza Strip": "Palestine", "West Bank": "Palestine",
    "Cape Verde": "Cape Verde", "Turkey": "Türkiye", "Saint Barthelemy": "Saint Barthélemy", "Ceuta": "Spain",
    "Melilla": "Spain",
}  # fmt: skip
# These are parts of the country that they are said as above, so their numbers are not the country's.
PARTS = frozenset({"Bonaire", "Gaza Strip", "West Bank", "Ceuta", "Melilla", "Svalbard", "Saint Helena"})

# What the capital is called in the graph, where it is another name.
CAPITALS = {
    "Congo, Dem.Rep.": "Kinshasa", "Yemen": "Sana'a", "Tonga": "Nuku'alofa", "Turks and Caicos Islands":
    "Cockburn Town", "San Marino": "City of San Marino", "Kiribati": "South Tarawa",
    "Antigua and Barbuda": "Saint John's", "Guernsey": "St. Peter Port",
}  # fmt: skip
PROVINCES = {
    # Germany, Austria, Switzerland
    "Bayern": "Bavaria", "Hessen": "Hesse", "Niedersachsen": "Lower Saxony", "Sachsen": "Saxony",
    "Nordrhein-Westfalen": "North Rhine-Westphalia", "Rheinland-Pfalz": "Rhineland-Palatinate",
    "Sachsen-Anhalt": "Saxony-Anhalt", "Thüringen": "Thuringia", "Kärnten": "Carinthia",
    "Niederösterreich": "Lower Austria", "Oberösterreich": "Upper Austria", "Steiermark": "Styria",
    "Tirol": "Tyrol", "Wien": "Vienna", "Genève": "Geneva", "Graubünden": "Grisons", "Luzern": "Lucerne",
    "Sankt Gallen": "St. Gallen", "Zürich": "Zurich", "Mecklenburg-Vorpommern": "Mecklenburg-Western Pomerania",
    # Italy, Spain, Portugal, France, Belgium, Netherlands
    "Lombardia": "Lombardy", "Piemonte": "Piedmont", "Puglia": "Apulia", "Sardegna": "Sardinia",
    "Sicilia": "Sicily", "Toscana": "Tuscany", "Valle d'Aosta": "Aosta Valley",
    "Trentino-Alto Adige": "Trentino-South Tyrol", "Andalucía": "Andalusia", "Aragón": "Aragon",
    "Canarias": "Canary Islands", "Castilla y León": "Castile and León", "Castilla-La Mancha": "Castile-La Mancha",
    "Catalunya": "Catalonia", "Euskadi": "Basque Country", "Illes Balears": "Balearic Islands",
    "Navarra": "Navarre", "Valenciana": "Valencian Community", "Lisboa": "Lisbon", "Corse": "Corsica",
    "Bretagne": "Brittany", "Normandie": "Normandy", "Antwerpen": "Antwerp", "Bruxelles": "Brussels",
    "Oost-Vlaanderen": "East Flanders", "West-Vlaanderen": "West Flanders", "Vlaams-Brabant": "Flemish Brabant",
    "Brabant Wallon": "Walloon Brabant", "Noord-Brabant": "North Brabant", "Noord-Holland": "North Holland",
    "Zuid-Holland": "South Holland", "Zeeland": "Zeeland", "Friesland": "Friesland",
    # the north
    "Hovedstaden": "Capital Region of Denmark", "Nordjylland": "North Jutland", "Midtjylland": "Central Jutland",
    "Syddanmark": "Southern Denmark", "Sjælland": "Region Zealand", "Skåne": "Scania", "Lappia": "Lapland",
    # Greece, Turkey, Russia, Ukraine, Czech Republic, Poland
    "Kritis": "Crete", "Peloponnisos": "Peloponnese", "Thessalias": "Thessaly", "Attikis": "Attica",
    "Aghion Oros": "Mount Athos", "Ipeiroy": "Epirus", "İstanbul": "Istanbul", "İzmir": "İzmir",
    "Sankt-Peterburg": "Saint Petersburg", "Moscow": "Moscow", "Moskovskaya": "Moscow Oblast",
    "Leningradskaya": "Leningrad Oblast", "Chechenskaya": "Chechnya", "Ingushskaya": "Ingushetia",
    "Krym": "Crimea", "Kyïv": "Kyiv", "Kyïvska": "Kyiv Oblast", "Odeska": "Odesa Oblast", "Praha": "Prague",
    "Lvivska": "Lviv Oblast", "Donetska": "Donetsk Oblast", "Luhanska": "Luhansk Oblast",
    "Kharkivska": "Kharkiv Oblast", "Dnipropetrovska": "Dnipropetrovsk Oblast",
    "Zakarpatska": "Zakarpattia Oblast", "Kaliningradskaya": "Kaliningrad Oblast",
    "Krasnodarskiy": "Krasnodar Krai", "Krasnoyarsk": "Krasnoyarsk Krai", "Primorskiy": "Primorsky Krai",
    "Khabarovskiy": "Khabarovsk Krai", "Permskij": "Perm Krai", "Altayskiy": "Altai Krai",
    "Altay": "Altai Republic", "Sakha": "Sakha Republic", "Buryatiya": "Buryatia", "Adygeya": "Adygea",
    "Kalmykiya": "Kalmykia", "Mordoviya": "Mordovia", "Udmurtskaya": "Udmurtia", "Tyva": "Tuva",
    "Khakasiya": "Khakassia", "Chuvashia": "Chuvashia", "Mariy-El": "Mari El",
    # overseas
    "Australia Capital Territory": "Australian Capital Territory", "Nei Mongol": "Inner Mongolia",
    "Xizang": "Tibet", "México, Estado de": "State of Mexico", "Nuevo Léon": "Nuevo León", "Hyogo": "Hyōgo",
    "Gumma": "Gunma", "Esfahan": "Isfahan", "Kurdestan": "Kurdistan Province",
    "Santiago de Estero": "Santiago del Estero",
}  # fmt: skip
# What a province is called where it bears the name of a city of its country.
PROVINCE_WORDS = {
    "United States": "State", "Brazil": "State", "Mexico": "State", "Venezuela": "State", "India": "State",
    "Nigeria": "State", "Sudan": "State", "Malaysia": "State", "Austria": "State", "Germany": "State",
    "Micronesia": "State", "Japan": "Prefecture", "Switzerland": "Canton", "Sweden": "County", "Norway": "County",
    "Hungary": "County", "Romania": "County", "Croatia": "County", "Estonia": "County", "Colombia": "Department",
    "Peru": "Region", "Chile": "Region", "Bolivia": "Department", "Uruguay": "Department", "Honduras": "Department",
    "Guatemala": "Department", "Paraguay": "Department", "El Salvador": "Department", "Nicaragua": "Department",
    "Kazakhstan": "Region", "Uzbekistan": "Region", "Belarus": "Region", "Tanzania": "Region",
    "Ghana": "Region", "Mali": "Region", "Ethiopia": "Region", "Mauritania": "Region", "Morocco": "Region",
    "Philippines": "Region", "Iraq": "Governorate", "Syria": "Governorate", "Portugal": "District",
    "Bangladesh": "Division", "Myanmar": "Region", "Cote d'Ivoire": "District",
    "Israel": "District", "Niger": "Region", "Namibia": "Region", "Ukraine": "Oblast", "Russia": "Oblast",
}  # fmt: skip

MUNICIPALITIES = frozenset({"Beijing", "Shanghai", "Tianjin", "Chongqing"})

CITIES = {
    "München": "Munich", "Köln": "Cologne", "Nürnberg": "Nuremberg", "Hannover": "Hanover", "Wien": "Vienna",
    "Frankfurt": "Frankfurt am Main", "Zürich": "Zürich", "Genève": "Geneva", "Luzern": "Lucerne",
    "Sankt Gallen": "St. Gallen", "Milano": "Milan", "Roma": "Rome", "Torino": "Turin", "Nápoli": "Naples",
    "Firenze": "Florence", "Venézia": "Venice", "Génova": "Genoa", "Genova": "Genoa", "Pádova": "Padua",
    "Siracusa": "Syracuse", "Sevilla": "Seville", "Zaragoza": "Zaragoza", "Córdoba": "Córdoba",
    "Donostia": "San Sebastián", "Lisboa": "Lisbon", "Oporto": "Porto", "Lyon": "Lyon", "Antwerpen": "Antwerp",
    "Bruxelles": "Brussels", "Brugge": "Bruges", "Gent": "Ghent", "Leuven": "Leuven", "Den Haag": "The Hague",
    "Göteborg": "Gothenburg", "Malmö": "Malmö", "Århus": "Aarhus", "Ålborg": "Aalborg", "København": "Copenhagen",
    "Praha": "Prague", "Warszawa": "Warsaw", "Kraków": "Kraków", "Beograd": "Belgrade", "Bucureşti": "Bucharest",
    "Athina": "Athens", "Thessaloniki": "Thessaloniki", "Peiraias": "Piraeus", "Patra": "Patras",
    "Moskva": "Moscow", "Sankt Peterburg": "Saint Petersburg", "Nizhnii Novgorod": "Nizhny Novgorod",
    "Rostov-na-Donu": "Rostov-on-Don", "Kyïv": "Kyiv", "Odesa": "Odesa", "Velikij Novgorod": "Veliky Novgorod",
    "İstanbul": "Istanbul", "İzmir": "İzmir", "Yerushalayim": "Jerusalem", "Tel Aviv-Yafo": "Tel Aviv",
    "Haifa": "Haifa", "Beer Sheva": "Beersheba", "Dimashq": "Damascus", "Halab": "Aleppo", "Bayrūt": "Beirut",
    "Al Qahirah": "Cairo", "Al Iskandariyah": "Alexandria", "Al Jizah": "Giza", "Al Uqsur": "Luxor",
    "As Suways": "Suez", "Bur Said": "Port Said", "Makkah": "Mecca", "Al Madinah": "Medina", "Al Basrah": "Basra",
    "Al Mawsil": "Mosul", "Al Kuwayt": "Kuwait City", "Al Manāmah": "Manama", "Esfahan": "Isfahan",
    "Al Khalil": "Hebron", "Tanger": "Tangier", "Fes": "Fez", "Ahmadabad": "Ahmedabad", "Bangalore": "Bengaluru",
    "Trivandrum": "Thiruvananthapuram", "Toshkent": "Tashkent", "Samarqand": "Samarkand", "Buxoro": "Bukhara",
    "Ciudad de México": "Mexico City", "Ciudad de Guatemala": "Guatemala City", "Nashville-Davidson": "Nashville",
    "Lexington": "Lexington", "Boise City": "Boise", "eThekwini": "Durban", "Tshwane": "Pretoria",
    "Nelson Mandela Bay": "Port Elizabeth", "Mangaung": "Bloemfontein", "Buffalo City": "East London",
    "Msunduzi": "Pietermaritzburg", "Wulumuqi": "Ürümqi", "Tombouctou": "Timbuktu", "Nur-Sultan": "Astana",
    "Nay Pyi Taw": "Naypyidaw", "Tirana": "Tirana", "Ulaanbaatar": "Ulaanbaatar", "Kyoto": "Kyoto",
    "Ho Chi Minh": "Ho Chi Minh City", "Monaco": "Monaco", "Yekaterinburg": "Yekaterinburg", "Lemesos": "Limassol",
    "Tamatave": "Toamasina", "Majunga": "Mahajanga", "Rhodes": "Rhodes", "Benin": "Benin City",
    "Haora": "Howrah", "Al Sharjah": "Sharjah", "Shubra al Khimah": "Shubra El Kheima", "Xian": "Xi'an",
    "Huaian": "Huai'an", "Kalookan": "Caloocan", "Ekurhuleni - Germiston": "Ekurhuleni", "Fès": "Fez",
    "Busan": "Busan", "Al Khartum Bahri": "Khartoum North", "Hamhung-Hungnam": "Hamhung",
    "Quebec": "Quebec City", "Oklahoma": "Oklahoma City", "Kansas": "Kansas City", "New York": "New York City",
    "Washington": "Washington, D.C.",
}  # fmt: skip

# What cities were called when somebody was born there.
FORMER = {
    "Sankt Peterburg": ("Leningrad", "Petrograd"), "Mumbai": ("Bombay",), "Chennai": ("Madras",),
    "Kolkata": ("Calcutta",), "Ho Chi Minh": ("Saigon",), "Volgograd": ("Stalingrad",), "Oslo": ("Christiania",),
    "Gdańsk": ("Danzig",), "Wrocław": ("Breslau",), "Szczecin": ("Stettin",), "Kaliningrad": ("Königsberg",),
    "Bratislava": ("Pressburg",), "Lviv": ("Lemberg", "Lwów"), "Yekaterinburg": ("Sverdlovsk",),
    "Samara": ("Kuybyshev",), "Tverj": ("Kalinin",), "Freiburg": ("Freiburg im Breisgau",),
}  # fmt: skip

RIVERS = {
    "Zaire": "Congo", "Hwangho": "Yellow River", "Irtysch": "Irtysh", "Jenissej": "Yenisei", "Amazonas": "Amazon",
    "Jurua": "Juruá", "Tarim-Yarkend": "Tarim", "Yukon River": "Yukon", "Rio Grande del Norte": "Rio Grande",
    "Saluen": "Salween", "Rio Sao Francisco": "São Francisco", "Japura": "Japurá", "Euphrat": "Euphrates",
    "Parana": "Paraná", "Ischim": "Ishim", "Syrdarja": "Syr Darya", "Dnepr": "Dnieper", "Irawaddy": "Irrawaddy",
    "Oranje": "Orange River", "Rio Mamore": "Mamoré", "Maranon": "Marañón", "Petschora": "Pechora",
    "Rio Parnaiba": "Parnaíba", "Chatanga": "Khatanga", "Rio Magdalena": "Magdalena", "Satluj": "Sutlej",
    "Rio Madeira": "Madeira", "Amudarja": "Amu Darya", "Schari": "Chari", "Dnister": "Dniester",
    "Rhein": "Rhine", "Theiss": "Tisza", "Weichsel": "Vistula", "Western Dwina": "Daugava", "Tajo": "Tagus",
    "Memel": "Neman", "Maas": "Meuse", "Neiße": "Neisse", "Rhone": "Rhône", "Prypjat": "Pripyat",
    "Western Bug": "Bug", "Drau": "Drava", "Northern Dwina": "Northern Dvina", "Sereth": "Siret", "Pruth": "Prut",
    "Mosel": "Moselle", "Donau": "Danube", "Saone": "Saône", "Mur": "Mura", "Moldau": "Vltava",
    "Etsch": "Adige", "Tevere": "Tiber", "Waag": "Váh", "Schelde": "Scheldt", "March": "Morava (March)",
    "Newa": "Neva", "Swir": "Svir", "Aare": "Aare", "Isere": "Isère", "Rio Negro": "Rio Negro",
    "Torneälv": "Torne River", "Dalälv": "Dalälven", "Glomma": "Glomma", "Bahr el-Djebel/Albert Nil": "Albert Nile",
    "Pjandsh": "Panj", "Iguacu": "Iguazu", "Kherlen": "Kherlen", "Chanab": "Chenab", "Hong He": "Red River",
    "Schatt al Arab": "Shatt al-Arab", "Thjorsa": "Þjórsá", "Uelle": "Uele", "Tuul": "Tuul", "Schilka": "Shilka",
    "Selenge": "Selenga", "Angara": "Angara", "Suchona": "Sukhona", "Kemijoki": "Kemijoki", "Götaälv": "Göta älv",
    "Umeälv": "Ume River", "Weiße Elster": "White Elster", "Hinterrhein": "Hinterrhein",
    "Mae Nam Chao Phraya": "Chao Phraya", "Mae Nam Ping": "Ping", "Mae Nam Nan": "Nan", "Paatsjoki": "Pasvikelva",
    "Rio Coco": "Coco", "Rio Grande": "Rio Grande (Brazil)",
    "Colorado": "Colorado River", "Rio Motagua": "Motagua", "Rio Usumacinta": "Usumacinta", "Rio Lempa": "Lempa",
    "Rio Guaviare": "Guaviare", "Rio Putumayo": "Putumayo", "Rio Meta": "Meta", "Rio Cauca": "Cauca",
    "Rio Madre de Dios": "Madre de Dios", "Rio Bogota": "Bogotá River", "Artibonito": "Artibonite",
}  # fmt: skip

LAKES = {
    "Lake Tanganjika": "Lake Tanganyika", "Ozero Baikal": "Lake Baikal", "Chad Lake": "Lake Chad",
    "Ozero Balchash": "Lake Balkhash", "Ozero Ladoga": "Lake Ladoga", "Ozero Onega": "Lake Onega",
    "Ozero Taimyr": "Lake Taymyr", "Ozero Chanka": "Lake Khanka", "Ozero Pskovskoje": "Lake Peipus",
    "Lake Sese Seko/Albertsee": "Lake Albert", "Rutanzige/Eduardsee": "Lake Edward", "Uws Nuur": "Uvs Lake",
    "Chöwsgöl Nuur": "Lake Khövsgöl", "Makarikari Salt Pan": "Makgadikgadi Pan", "Etoscha Salt Pan": "Etosha Pan",
    "Lake Cahora-Bassa": "Lake Cahora Bassa", "Poyang Hu": "Poyang Lake", "Dongting Hu": "Dongting Lake",
    "Tai Hu": "Lake Tai", "Hongze Hu": "Hongze Lake", "Hulun Nur": "Hulun Lake", "Nam Co": "Namtso",
    "Lac Leman": "Lake Geneva", "Bodensee": "Lake Constance", "Neusiedlersee": "Lake Neusiedl",
    "Lago di Garda": "Lake Garda", "Lago Maggiore": "Lake Maggiore", "Lago di Como": "Lake Como",
    "Lago Trasimeno": "Lake Trasimeno", "Lago di Bolsena": "Lake Bolsena", "Lago di Bracciano": "Lake Bracciano",
    "Lago Albano": "Lake Albano", "Vierwaldstättersee": "Lake Lucerne", "Zürichsee": "Lake Zurich",
    "Thunersee": "Lake Thun", "Brienzersee": "Lake Brienz", "Lake Skutari": "Lake Skadar",
    "Lake Genezareth": "Sea of Galilee", "Balaton": "Lake Balaton", "Poopo": "Lake Poopó", "Mjoesa-See": "Mjøsa",
    "Lago de Chapala": "Lake Chapala", "Lago de Izabal": "Lake Izabal", "Lago Enriquillo": "Lake Enriquillo",
    "Lago de Atitlán": "Lake Atitlán", "Lago General Carrera": "General Carrera Lake", "Inarijärvi": "Lake Inari",
    "Starnberger See": "Lake Starnberg", "Mazama Crater Lake": "Crater Lake", "Issyk-Kul": "Issyk-Kul",
    "Lake Malawi": "Lake Malawi", "Franklin. D. Roosevelt Lake": "Franklin D. Roosevelt Lake",
    "Lake Abbe": "Lake Abbe", "Lac Assal": "Lake Assal", "Garabogazköl": "Garabogazköl",
}  # fmt: skip

SEAS = {
    "East Sibirian Sea": "East Siberian Sea", "Gulf of Bengal": "Bay of Bengal", "The Channel": "English Channel",
    "Malakka Strait": "Strait of Malacca", "Marmara Sea": "Sea of Marmara", "Lago de Maracaibo": "Lake Maracaibo",
}  # fmt: skip

DESERTS = {
    "Rub Al Chali": "Rub' al Khali", "Tenere": "Ténéré", "Chihuahua": "Chihuahuan Desert",
    "Sonora": "Sonoran Desert", "Takla Makan": "Taklamakan", "Kysylkum": "Kyzylkum", "Ust Urt": "Ustyurt Plateau",
    "Dascht-e-Lut": "Dasht-e Lut", "Dascht-e-Kavir": "Dasht-e Kavir", "Dascht-e-Margoh": "Dasht-e Margo",
    "Erg Rebiana": "Rebiana Sand Sea", "Grand Erg Ouest": "Grand Erg Occidental",
    "Grand Erg Est": "Grand Erg Oriental", "Fesan": "Fezzan", "Thar": "Thar Desert", "Mojave": "Mojave Desert",
    "Gurbantunggut": "Gurbantünggüt Desert", "Talak": "Talak", "Red Centre": "Red Centre",
}  # fmt: skip
ALSO_DESERTS = {"Kalahari", "Gobi", "Karakum", "Namib", "Atacama", "Negev", "Taklamakan", "Kyzylkum", "Nefud", "Tanami"}

MOUNTAINS = {
    "Mt. McKinley (Denali)": "Denali", "Citlaltepetl (Pico de Orizaba)": "Pico de Orizaba",
    "Kangchendzonga": "Kangchenjunga", "Pik Lenina": "Lenin Peak", "Pik Ismoil Somoni": "Ismoil Somoni Peak",
    "Pik Pobeda": "Jengish Chokusu", "Pik Chan-Tengri": "Khan Tengri", "Mt. Kenia": "Mount Kenya",
    "Kasbek": "Kazbek", "Schchara": "Shkhara", "Dychtau": "Dykh-Tau", "Huascaran": "Huascarán",
    "Kljutschewskaja Sopka": "Klyuchevskaya Sopka", "Bjelucha": "Belukha", "Tubkhal": "Toubkal",
    "Fuji-San": "Mount Fuji", "Fako": "Mount Cameroon", "Olymp": "Mount Olympus", "Mulhacen": "Mulhacén",
    "Pico de Teide": "Teide", "Pico de Aneto": "Aneto", "Galdhoeppig": "Galdhøpiggen", "Snoehetta": "Snøhetta",
    "Gerlachovsky Stit": "Gerlachovský štít", "Howerla": "Hoverla", "Narodnaja": "Mount Narodnaya",
    "Vesuvio": "Mount Vesuvius", "Etna": "Mount Etna", "Schneekoppe": "Sněžka", "Pao de Acucar": "Sugarloaf Mountain",
    "Barre des Ecrins": "Barre des Écrins", "Marmolata": "Marmolada", "Aragaz": "Mount Aragats",
    "Ararat": "Mount Ararat", "Elbrus": "Mount Elbrus", "Kinabalu": "Mount Kinabalu", "Kerinci": "Mount Kerinci",
    "Erciyes Dagi": "Mount Erciyes", "Pik Revoluzija": "Independence Peak", "Krakatau": "Krakatoa",
    "Hvannadalshnukur": "Hvannadalshnúkur", "Cerro Fitzroy": "Fitz Roy", "Mt. St.Elias": "Mount Saint Elias",
    "Pelee": "Mount Pelée", "Puy De Dome": "Puy de Dôme", "Damavand": "Mount Damavand", "Kailash": "Mount Kailash",
    "Torre de Estrela": "Serra da Estrela", "Piton de la Fournaise": "Piton de la Fournaise",
}  # fmt: skip
ALSO_MOUNTS = {"Kilimanjaro", "Denali", "Kailash", "Tambora", "Pinatubo", "Merapi", "Rinjani", "Meru", "Elgon", "Athos"}

RANGES = {
    "Himalaya": "Himalayas", "Kaukasus": "Caucasus Mountains", "Lesser Kaukasus": "Lesser Caucasus",
    "Ural": "Ural Mountains", "Atlas": "Atlas Mountains", "Apennin": "Apennines", "Karakorum": "Karakoram",
    "Drakensberge": "Drakensberg", "Vogesen": "Vosges", "Bayrischer Wald": "Bavarian Forest",
    "Cordillera Volcanica": "Cordillera Volcánica", "Sudety Mountains": "Sudetes", "Beskides": "Beskids",
    "Elburs": "Alborz", "Hindukush": "Hindu Kush", "Carpathians": "Carpathian Mountains",
    "Jura": "Jura Mountains", "Cevennes": "Cévennes", "Kunlun": "Kunlun Mountains", "Altai": "Altai Mountains",
    "Sierra Nevada California": "Sierra Nevada", "Taurus": "Taurus Mountains", "Zagros": "Zagros Mountains",
    "Qin Ling": "Qinling", "Balkan": "Balkan Mountains", "Hawaii": "Hawaiian volcanoes",
    "Elias Range": "Saint Elias Mountains", "Waldai Hills": "Valdai Hills", "Pindos": "Pindus",
    "New Zealand Southern Alps": "Southern Alps", "Cordillera Cantabrica": "Cantabrian Mountains",
    "Jabal Lubnan": "Mount Lebanon", "Rif": "Rif Mountains", "Maoke Range": "Maoke Mountains",
    "Changbai Shan": "Changbai Mountains", "Changbai": "Changbai Mountains", "Azores": "mountains of the Azores",
    "Canary Islands": "mountains of the Canary Islands", "Cape Verdes": "mountains of Cape Verde",
    "Kurdistan": "mountains of Kurdistan", "Madeira": "mountains of Madeira", "Crete": "mountains of Crete",
}  # fmt: skip

ISLANDS = {
    "Madagaskar": "Madagascar", "Sachalin": "Sakhalin", "Sicilia": "Sicily", "Sardegna": "Sardinia",
    "Corse": "Corsica", "Seeland": "Zealand", "Fünen": "Funen", "Ösel": "Saaremaa", "Teneriffa": "Tenerife",
    "Sansibar": "Zanzibar", "Rhodos": "Rhodes", "Korfu": "Corfu", "Sokotra": "Socotra",
    "Cangaroo Island": "Kangaroo Island", "Mallorca": "Majorca", "Menorca": "Menorca", "Ceram": "Seram",
    "Te Waka-a-Maui (South Island)": "South Island", "Te Ika-a-Maui (North Island)": "North Island",
    "Reunion": "Réunion", "Curacao": "Curaçao", "Helgoland": "Heligoland", "Kefallinia": "Cephalonia",
    "Hierro": "El Hierro", "Gomera": "La Gomera", "Lefkas": "Lefkada", "Sao Miguel": "São Miguel",
    "Sao Jorge": "São Jorge", "Sao Tome": "São Tomé", "Principe": "Príncipe", "Mahe": "Mahé",
    "Paramuschir": "Paramushir", "Zitny Ostrov": "Žitný ostrov", "Maly Zitny Ostrov": "Malý Žitný ostrov",
    "Marthas Vineyard": "Martha's Vineyard", "Isla da Ometepe": "Ometepe", "Margit Sziget": "Margaret Island",
    "Savaii": "Savai'i", "Raiātea": "Raiatea", "St. Barthelemy": "Saint Barthélemy", "St. Martin": "Saint Martin",
    "Male": "Malé", "Bikini": "Bikini Atoll", "Flores (Azores)": "Flores Island (Azores)", "Uvea": "Wallis Island",
    "Krakatau": "Krakatoa", "Novaya Zemlya Severny Island": "Severny Island",
    "Novaya Zemlya Yuzhny Island": "Yuzhny Island",
}  # fmt: skip

GROUPS = {
    "Canares": "Canary Islands", "Baleares": "Balearic Islands", "Ostfriesische Inseln": "East Frisian Islands",
    "Westfriesische Inseln": "West Frisian Islands", "Nordfriesische Inseln": "North Frisian Islands",
    "Hawaii Islands": "Hawaiian Islands", "Moluccan Islands": "Maluku Islands", "Carolines": "Caroline Islands",
    "Comores": "Comoro Islands", "Ionic Islands": "Ionian Islands", "Bismarck Islands": "Bismarck Archipelago",
    "Kyklades": "Cyclades", "Curiles": "Kuril Islands", "Aleutes": "Aleutian Islands", "Lofotes": "Lofoten",
    "Laccadives": "Lakshadweep Islands", "Galapagos": "Galápagos Islands", "Japan": "Japanese Archipelago",
    "Malta": "Maltese Islands", "Madeira": "Madeira Islands", "Cape Verdes": "Cape Verde Islands",
    "New Zealand": "New Zealand Islands", "New Caledonia": "New Caledonia Islands", "Philippines": "Philippine Islands",
    "Seychelles": "Seychelles Islands", "Maldives": "Maldive Islands", "Tokelau": "Tokelau Islands",
    "Tuamotu": "Tuamotu Islands", "Svalbard": "Svalbard Islands",
}  # fmt: skip

RELIGIONS = {
    "Catholic": "Catholic Church", "Protestant": "Protestantism", "Muslim": "Islam",
    "Christian Orthodox": "Eastern Orthodox Church", "Hindu": "Hinduism", "Buddhist": "Buddhism",
    "Jewish": "Judaism", "Christian": "Christianity", "Sikh": "Sikhism", "Bahai": "Bahá'í Faith",
    "Jehovas Witnesses": "Jehovah's Witnesses", "Indigenous Beliefs": "indigenous beliefs",
    "Mormon": "The Church of Jesus Christ of Latter-day Saints", "Rastafarian": "Rastafari",
    "New Apostolic": "New Apostolic Church", "Yazidi": "Yazidism", "Druze": "Druze faith",
    "Tewahedo Christian Orthodox": "Ethiopian Orthodox Tewahedo Church", "Voodoo": "Vodou", "Taoist": "Taoism",
    "Coptic Christian": "Coptic Orthodox Church", "African Religions": "traditional African religions",
    "Jains": "Jainism", "Shintoist": "Shinto", "Quaker": "Religious Society of Friends", "Mayan": "Maya religion",
    "Chendoism": "Cheondoism", "Cao Dai": "Caodaism", "Hoa Hao": "Hòa Hảo", "Satsana Phi": "Satsana Phi",
}  # fmt: skip

LANGUAGES = {
    "Mandarin": "Mandarin Chinese", "Cantonese": "Cantonese", "Filipino": "Filipino", "Roma": "Romani",
    "Belorussian": "Belarusian", "Central Tibetan": "Tibetan", "Avaric": "Avar", "Sardu": "Sardinian",
    "Corsu": "Corsican", "Cebuanu": "Cebuano", "Dhivehi": "Maldivian", "Kalaallisut": "Greenlandic",
    "Sranantongo": "Sranan Tongo", "chiTonga": "Tonga (Bantu)", "Dholuo": "Luo", "Kirundi": "Kirundi",
    "Ganda": "Luganda", "Khmer": "Khmer", "Sepedi": "Northern Sotho", "Sesotho": "Sotho",
    "Ndebele": "Ndebele", "Swati": "Swazi", "Chewa": "Chewa", "Kiribati": "Gilbertese",
}  # fmt: skip

ORGANISATIONS = {
    "North Atlantic Treaty Organization": "NATO", "Commonwealth": "Commonwealth of Nations",
    "League of Arab States": "Arab League", "Organization of Petroleum Exporting Countries": "OPEC",
    "Nonaligned Movement": "Non-Aligned Movement", "Comuinidade dos Paises de Lingua Portuguesa":
    "Community of Portuguese Language Countries", "International Criminal Police Organization": "Interpol",
    "European Organization for Nuclear Research": "CERN", "Group of 7": "G7", "Group of 8": "G8",
    "Group of 20": "G20", "Group of 77": "G77", "Association of Southeast Asian Nations": "ASEAN",
    "International Labor Organization": "International Labour Organization",
    "Economic and Monetary Union": "Economic and Monetary Union of the European Union",
    "Organization for Economic Cooperation and Development": "OECD", "World Tourism Organization": "UNWTO",
    "United Nations Educational, Scientific, and Cultural Organization": "UNESCO",
    "North American Free Trade Agreement": "NAFTA", "Asia-Pacific Economic Cooperation": "APEC",
    "Organization for Security and Cooperation in Europe": "OSCE",
    "International Federation of Red Cross and Red Crescent Societies":
    "International Federation of Red Cross and Red Crescent Societies",
}  # fmt: skip
# Abbreviations that are words or names of other things.
NO_ABBREVIATIONS = frozenset(
    {"C", "AG", "BA", "CAN", "CD", "CE", "CP", "NC", "NAM", "ICC", "ECO", "AMU", "GUAM", "IDA"}
)

# What a form of government is said to be, found in the words of Mondial.
GOVERNMENTS = (
    ("constitutional monarch", "constitutional monarchy"), ("constitutional sultanate", "constitutional monarchy"),
    ("constitutional emirate", "constitutional monarchy"), ("parliamentary monarchy", "constitutional monarchy"),
    ("parliamentary democra", "parliamentary democracy"), ("parliamentary representative", "parliamentary democracy"),
    ("parliamentary republic", "parliamentary republic"), ("federal republic", "federal republic"),
    ("federation", "federation"), ("federal", "federation"), ("commonwealth realm", "Commonwealth realm"),
    ("communist state", "communist state"), ("republic", "republic"), ("emirate", "emirate"),
    ("dictator", "dictatorship"), ("junta", "military junta"), ("islamic republic", "Islamic republic"),
    ("presidential", "presidential republic"), ("democra", "democracy"),
    ("sacerdotal", "absolute monarchy"), ("transition", "transitional government"),
)  # fmt: skip
