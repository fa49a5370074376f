//! Examples of the contract as a table: small collections, requests, and the ids of the answer.
//!
//! Every row holds by the whole contract, not only by the part that the oracle models: where a rule that is
//! not under test could add businesses or reorder them, the row avoids it (quotes against prefixes, sorting
//! by name against the text score).

use super::Oracle;
use firmament::company::Company;
use firmament::query::{Query, SortKey, SortOrder, TextQuery};

/// A small collection and requests for it.
pub struct Group {
    /// The rules at work.
    pub about: &'static str,
    /// The value of `sort` where a request names none.
    pub sort: &'static str,
    /// `id | name | key=value …`, with keys w(ebsite), d(escription), i(ndustry), e(mployees), c(ity), s(tate),
    /// k for country, y(ear).
    pub records: &'static [&'static str],
    /// A request, its parameters separated by ` ; `, and the ids of the answer in order.
    pub rows: &'static [(&'static str, &'static str)],
}

/// The table.
pub const GROUPS: &[Group] = &[
    Group {
        about: "folding, words, compounds, runs",
        sort: "name",
        records: &[
            "a | AT&T",
            "b | ATT Wireless",
            "c | At T Towers",
            "d | Böhme",
            "e | Boehme",
            "f | Bohme",
            "g | O'Reilly Media",
            "h | U.K. Steel",
            "i | Hewlett-Packard Co",
            "j | Johnson & Johnson",
            "k | C++ Builders",
            "l | Straße",
            "m | 東京都 Tokyo",
            "n | 東京大学",
            "o | 東京 大学 Press",
            "p | İstanbul Foo™",
            "q | Müller-Łódź",
        ],
        rows: &[
            ("q=AT&T", "c a b"),
            ("q=att", "a b"),
            ("q=\"AT&T\"", "c a"),
            ("q=\"att\"", "a b"),
            ("q=Böhme", "e f d"),
            ("q=bohme", "f d"),
            ("q=BOEHME", "e d"),
            ("q=oreilly", "g"),
            ("q=O’Reilly", "g"),
            ("q=uk", "h"),
            ("q=U.K.", "h"),
            ("q=\"u k steel\"", "h"),
            ("q=hewlettpackard", "i"),
            ("q=hewlett packard", "i"),
            ("q=packard", "i"),
            ("q=Johnson and Johnson", "j"),
            ("q=johnson & johnson", "j"),
            ("q=c", "k"),
            ("q=C++", "k"),
            ("q=strasse", "l"),
            ("q=東京", "o n m"),
            ("q=東京大学", "n"),
            ("q=\"東京 大学\"", "o"),
            ("q=京都", "m"),
            ("q=tokyo 東京", "m"),
            ("q=ISTANBUL", "p"),
            ("q=foo", "p"),
            ("q=muellerlodz", "q"),
            ("q=!!!", ""),
            ("q=-\"東京\" -t -johnson -builders -media -steel -hewlett", "b e f d p q l"),
        ],
    },
    Group {
        about: "searched fields, hosts, plurals, phrases, exclusions",
        sort: "name",
        records: &[
            "a | Acme | i=Software | d=boxes and sizes for companies",
            "b | Boxes | w=https://www.gas-news.co.uk/x | i=Oil, Gas & Mining",
            "c | Box Corp | d=The news of gases | c=Springfield",
            "d | News Company | i=Boxes | w=box.new",
            "e | Shop | d=An e-commerce and/or R&D shop, U.S.A.",
        ],
        rows: &[
            ("q=\"box\"", "a c d"),
            ("q=\"boxes\"", "a b d"),
            ("q=size acme", "a"),
            ("q=company", "a d"),
            ("q=\"gas\"", "c b"),
            ("q=\"news\"", "c b d"),
            ("q=\"new\"", ""),
            ("q=uk", ""),
            ("q=\"springfield\"", ""),
            ("q=acme software", "a"),
            ("q=\"acme\" \"mining\"", ""),
            ("q=\"gas news\"", "b"),
            ("q=gasnews", "b"),
            ("q=gas-news", "b"),
            ("q=\"box and size\"", "a"),
            ("q=\"and box\"", ""),
            ("q=\"acme", "a"),
            ("q=“news company”", "d"),
            ("q=-\"box\"", "b e"),
            ("q=-size", "c b d e"),
            ("q=\"box\" -acme", "c d"),
            ("q=\"box\" -\"news company\"", "a c"),
            ("q=-e-commerce -gas-news", "a c d"),
            ("q=ecommerce", "e"),
            ("q=rd", "e"),
            ("q=usa", "e"),
            ("q=\"andor\"", ""),
            ("q=\"and or\"", "e"),
        ],
    },
    Group {
        about: "legal forms",
        sort: "name",
        records: &[
            "a | Apple Inc.",
            "b | Apple Corp.",
            "c | Apple",
            "d | Enel S.p.A.",
            "e | Enel Spa Resorts",
            "f | Inc Ltd",
            "g | Apple Music Company",
        ],
        rows: &[
            ("q=apple inc", "c b a g"),
            ("q=apple co., ltd.", "c b a g"),
            ("q=inc", "a f"),
            ("q=inc. ltd", "f"),
            ("q=enel S.p.A.", "d e"),
            ("q=enel spa", "d e"),
            ("q=apple -inc", "c b g"),
            ("q=apple corp -inc", "c b g"),
            ("q=\"apple inc\"", "a"),
            ("q=inc apple", "a"),
        ],
    },
    Group {
        about: "tiers of two words",
        sort: "relevance",
        records: &[
            "f | Other | d=sky that is blue | e=6",
            "e | Blue Ltd | d=the sky | e=5",
            "d | Acme | d=a blue sky company | e=4",
            "c | Sky Over Blue | e=3",
            "b | Blue Sky Airways | e=2",
            "a | Blue Sky Inc. | e=1",
        ],
        rows: &[
            ("q=blue sky", "a b c d e f"),
            ("q=BLUE SKY Corp.", "a b c d e f"),
            ("q=blue sky ; order=asc", "f e d c b a"),
            ("q=blue sky -ltd", "a b c d f"),
            ("q=\"blue sky\"", "a b d"),
            ("q=blue sky ; sort=employee_count", "f e d c b a"),
            ("q=-acme", "f e c b a"),
            ("q=-acme ; order=asc", "f e c b a"),
            ("", "f e d c b a"),
        ],
    },
    Group {
        about: "tiers of one word, of compounds, and of runs",
        sort: "relevance",
        records: &[
            "d | Zed | w=att.com | e=9",
            "c | The ATT Group | e=8",
            "b | AT&T Wireless | e=7",
            "a | AT&T Inc | e=6",
            "m | Acme Inc | d=boxes | e=5",
            "n | The Box | e=4",
            "y | Acme 東京 大学 Press | e=3",
            "x | 東京 大学 Press | e=2",
            "v | Inc Foo | e=1",
            "u | Inc | e=0",
        ],
        rows: &[
            ("q=att", "a b c d"),
            ("q=\"at t\"", "a b"),
            ("q=box", "n m"),
            ("q=\"東京 大学\" press", "x y"),
            ("q=東京 大学 press", "x y"),
            ("q=press 東京 大学 -acme", "x"),
            ("q=inc ; max=1", "u v"),
        ],
    },
    Group {
        about: "orders",
        sort: "relevance",
        records: &[
            "a | Zeta | e=10 | y=2000",
            "b | alpha | e=10",
            "c | Alpha | e=10 | y=1999",
            "d | Beta | y=2000",
            "e | Gamma | e=0 | y=1999",
            "f | Äpfel | e=9223372036854775807",
        ],
        rows: &[
            ("", "f b c a e d"),
            ("order=asc", "f b c a e d"),
            ("sort=name", "b c f d e a"),
            ("sort=name ; order=desc", "a e d f c b"),
            ("sort=employee_count", "f b c a e d"),
            ("sort=employee_count ; order=asc", "e b c a f d"),
            ("sort=founded_year", "a d c e f b"),
            ("sort=founded_year ; order=asc", "c e a d f b"),
            ("min=0", "f b c a e"),
            ("max=9223372036854775807", "f b c a e"),
            ("min=10 ; max=10", "b c a"),
            ("max=0", "e"),
            ("min=11 ; sort=name", "f"),
        ],
    },
    Group {
        about: "ties",
        sort: "relevance",
        records: &["a | Same", "B | Same", "10 | Same", "9 | Same | e=0", "z | Săme", "y | SAME"],
        rows: &[
            ("", "9 10 B a y z"),
            ("sort=name", "9 10 B a y z"),
            ("sort=name ; order=desc", "z y 9 10 B a"),
            ("sort=founded_year ; order=asc", "9 10 B a y z"),
        ],
    },
    Group {
        about: "industries",
        sort: "name",
        records: &[
            "a | A | i=Oil, Gas & Mining",
            "b | B | i=Oil",
            "c | C | i=Gas and mining",
            "d | D | i=Cafés",
            "e | E | i=R&D",
            "f | F | i=Möbel",
            "g | G",
        ],
        rows: &[
            ("industry=Oil, Gas & Mining", "a"),
            ("industry=OIL,gas  and mining", "a"),
            ("industry=Oil", "b"),
            ("industry=Oi", ""),
            ("industry=Gas & Mining,Oil", "b c"),
            ("industry=Oil,Cafes", "b d"),
            ("industry=\"Oil\",\"Gas & Mining\"", "b c"),
            ("industry=\"Oil, Gas & Mining\", Oil", "a b"),
            ("industry=Astrology", ""),
            ("industry=Astrology,Oil", "b"),
            ("industry=R & D", "e"),
            ("industry=moebel", "f"),
            ("industry=Mobel", "f"),
            ("industry=Oil ; industry=R&D", "b e"),
            ("industry=Oil ; min=0", ""),
        ],
    },
    Group {
        about: "locations",
        sort: "name",
        records: &[
            "a | A | c=New York | s=New York | k=United States",
            "b | B | c=Buffalo | s=NY | k=US",
            "c | C | c=Atlanta | s=GA | k=USA",
            "d | D | c=Tbilisi | k=Georgia",
            "e | E | c=Sydney | s=NSW | k=Australia",
            "f | F | c=Berlin | k=Germany",
            "g | G | c=Toronto | s=ON | k=Canada",
            "h | H | c=Perth | s=WA | k=Australia",
            "i | I | c=San José | s=CA | k=US",
            "j | J | c=Austin | s=TX | k=US",
            "k | K | c=Holland | s=MI | k=US",
            "l | L | c=Amsterdam | k=Netherlands",
            "m | M | c=St. Louis | s=Missouri | k=US",
            "n | N | c=St. John's | s=NL | k=Canada",
            "o | O | c=Wilmington | s=DE | k=US",
        ],
        rows: &[
            ("location=Georgia", "c d"),
            ("location=Georgia, Georgia", ""),
            ("location=Georgia, Atlanta", "c"),
            ("location=New York", "a b"),
            ("location=New York, New York", "a"),
            ("location=US", "a b c i j k m o"),
            ("location=Austral", ""),
            ("location=Texas", "j"),
            ("location=TX", "j"),
            ("location=\"Texas\"", ""),
            ("location=\"US\"", "b i j k m o"),
            ("location=austin texas", "j"),
            ("location=San Jose CA, USA", "i"),
            ("location=st louis", "m"),
            ("location=Berlin, DE", "f"),
            ("location=DE", "o"),
            ("location=Toronto, CA", "g"),
            ("location=CA", "i"),
            ("location=Perth, WA, AU", "h"),
            ("location=NL", "l n"),
            ("location=Holland", "k l"),
            ("location=Holland, MI", "k"),
            ("location=Texas ; location=Germany", "f j"),
            ("location=US ; location=Texas", "a b c i j k m o"),
        ],
    },
];

/// A record of the table.
pub fn company(row: &str) -> Company {
    let mut parts = row.split(" | ");
    let mut next = || parts.next().expect("id and name").to_owned();
    let (id, name) = (next(), next());
    let mut company = Company { id, name, ..Company::default() };
    for part in parts {
        let (key, value) = part.split_once('=').expect("key=value");
        let text = Some(value.to_owned());
        match key {
            "w" => company.website = text,
            "d" => company.description = text,
            "i" => company.industry = text,
            "e" => company.employee_count = Some(value.parse().expect("a count")),
            "y" => company.founded_year = Some(value.parse().expect("a year")),
            "c" => company.location.city = text,
            "s" => company.location.state = text,
            "k" => company.location.country = text,
            _ => panic!("no key {key}"),
        }
    }
    company
}

/// The records of a group.
pub fn companies(group: &Group) -> Vec<Company> {
    group.records.iter().map(|row| company(row)).collect()
}

/// A request of the table.
pub fn query(request: &str, default_sort: &str) -> Query {
    let mut query = Query { limit: 100, ..Query::default() };
    let (mut sort, mut order) = (default_sort, None);
    for part in request.split(" ; ").filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').expect("key=value");
        match key {
            "q" => query.text = TextQuery::parse(value).expect("a short q"),
            "industry" => query.industries.push(value.to_owned()),
            "location" => query.locations.push(value.to_owned()),
            "min" => query.employee_count_min = Some(value.parse().expect("a bound")),
            "max" => query.employee_count_max = Some(value.parse().expect("a bound")),
            "sort" => sort = value,
            "order" => order = Some(if value == "asc" { SortOrder::Asc } else { SortOrder::Desc }),
            _ => panic!("no parameter {key}"),
        }
    }
    query.sort = match sort {
        "relevance" => SortKey::Relevance,
        "name" => SortKey::Name,
        "employee_count" => SortKey::EmployeeCount,
        "founded_year" => SortKey::FoundedYear,
        _ => panic!("no sort {sort}"),
    };
    query.order = order.unwrap_or(query.sort.default_order());
    query
}

#[test]
fn the_oracle_answers_as_the_contract_says() {
    for group in GROUPS {
        let oracle = Oracle::new(companies(group));
        for (request, expected) in group.rows {
            let ids = oracle.ids(&query(request, group.sort)).join(" ");
            assert_eq!(ids, *expected, "{}: {request}", group.about);
        }
    }
}
