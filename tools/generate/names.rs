//! Business names and the hosts made from them.
//!
//! Facts reproduced: names of 1, 2, 3, 4, 5 and more words in 25, 33, 25, 11 and 6 % of the cases,
//! a legal form in half of them, and a vocabulary of about 0.85 n^0.88 for n words of names, most
//! seen once. To get there, the one-word names are all different, names with a single word besides
//! the legal form or a common noun take it from those same words, and the other words follow a
//! steeper law.

use super::accents::{accent, push_host_letters};
use super::places::Country;
use super::random::{AliasTable, SplitMix64};
use super::words::{WORDS, capitalise, capitalised_word, push_word};

/// What names end with, most frequent first.
const NOUNS: &str = "
Group Technologies Solutions Services International Capital Systems Holdings Health Energy Partners
Consulting Software Media Industries Labs Resources Bank Technology Global Foods Engineering Design
Construction Logistics Medical Pharma Properties Networks Financial Digital Homes Enterprises
Products Motors Studio Insurance Security Power Electric Associates Management Therapeutics Mining
Trading Marketing Development Analytics Manufacturing Transport Hotels Investments Ventures Data
Restaurant Farms Materials Communications Clinic Academy Foundation School Gold Estates Instruments
Auto Sports Travel Press Fashion Supply Interiors Laboratories Packaging Advisors Chemicals Fitness
Pictures Entertainment Robotics Bakery Center Institute Biosciences Dental Cloud Air Water Steel
Plastics Textiles Brewing Coffee Wines Realty Architects Agency Company Store Shop Market Kitchen
Garden Hospital Care Wellness Pharmacy Optics Imaging Diagnostics Genetics Robot Drones Sensors
Batteries Solar Wind Nuclear Petroleum Gas Oil Coal Minerals Metals Castings Tools Machinery Pumps
Valves Controls Automation Components Electronics Semiconductors Devices Mobile Wireless Telecom
Broadband Fiber Games Music Films Books Publishing Printing Paper Timber Furniture Flooring Lighting
Glass Ceramics Concrete Roofing Plumbing Heating Cooling Cleaning Recycling Environmental Freight
Shipping Marine Aviation Airways Railways Trucking Storage Rentals Leasing Credit Payments Lending
Mortgage Trust Funds Equity Securities Exchange Brokers Law Legal Accounting Tax Payroll Staffing
Talent Learning Education Training Research Sciences Bio Biotech Nutrition Organics Naturals Beauty
Cosmetics Jewelry Watches Apparel Footwear Toys Pets
";
/// What names begin with.
const OPENERS: &str = "
First American National United Global Blue Green Advanced Pacific Atlantic New Royal Smart Red Pro
Golden North Great Modern Universal Premier Northern Prime Silver Black White Central Southern
Western Eastern European Asia Smith Open Johnson Miller Williams Brown Jones Martin Wilson Anderson
Thomas Moore Taylor Lee King Star Sun Sky River Mountain Ocean Forest Lake Stone Iron Crystal
Diamond Eagle Lion Wolf Phoenix Alpha Beta Delta Omega Nova Apex Summit Pinnacle Horizon Vertex
Quantum Fusion Cyber Net Info Micro Nano Hyper Ultra Mega Meta Inter Trans Euro Trust Liberty
Heritage Legacy Pioneer Frontier Evergreen Harbor Bridge Gateway Cornerstone Keystone Landmark
Beacon Compass Anchor Clear
";
/// Words between others, in names of three words and more.
const CONNECTORS: [&str; 5] = ["&", "of", "and", "&", "de"];

/// Legal forms with their weights, by group of countries. The first form of each group is one word.
const LEGAL_FORMS: &[(&str, &[(&str, f64)])] = &[
    (
        "us",
        &[
            ("Inc.", 34.0),
            ("LLC", 30.0),
            (", Inc.", 16.0),
            ("Corporation", 6.0),
            ("Inc", 5.0),
            ("Corp.", 4.0),
            ("Co.", 2.0),
            (", LLC", 2.0),
            ("L.P.", 1.0),
        ],
    ),
    ("uk", &[("Ltd", 45.0), ("Limited", 35.0), ("Ltd.", 8.0), ("plc", 8.0), ("LLP", 4.0)]),
    (
        "in",
        &[
            ("Limited", 30.0),
            ("Private Limited", 30.0),
            ("Pvt. Ltd.", 25.0),
            ("Ltd", 10.0),
            ("LLP", 5.0),
        ],
    ),
    (
        "de",
        &[
            ("GmbH", 68.0),
            ("AG", 12.0),
            ("SE", 4.0),
            ("e.V.", 4.0),
            ("UG", 3.0),
            ("KG", 3.0),
            ("GmbH & Co. KG", 6.0),
        ],
    ),
    (
        "cn",
        &[
            ("Co.,Ltd.", 8.0),
            ("Co., Ltd.", 74.0),
            ("Limited", 8.0),
            ("Corporation", 6.0),
            ("Corp.", 4.0),
        ],
    ),
    ("ca", &[("Inc.", 60.0), ("Ltd.", 25.0), ("Corp.", 15.0)]),
    ("fr", &[("SAS", 45.0), ("SARL", 25.0), ("S.A.", 15.0), ("SA", 15.0)]),
    (
        "jp",
        &[
            ("Inc.", 15.0),
            ("Co., Ltd.", 50.0),
            ("Co.,Ltd.", 12.0),
            ("Corporation", 15.0),
            ("K.K.", 8.0),
        ],
    ),
    ("br", &[("Ltda.", 55.0), ("S.A.", 35.0), ("ME", 10.0)]),
    ("au", &[("Limited", 30.0), ("Pty Ltd", 50.0), ("Pty. Ltd.", 12.0), ("Ltd", 8.0)]),
    ("it", &[("S.r.l.", 50.0), ("S.p.A.", 35.0), ("Srl", 15.0)]),
    ("es", &[("S.A.", 50.0), ("S.L.", 35.0), ("SAC", 5.0), ("S.A.S.", 10.0)]),
    ("nl", &[("B.V.", 60.0), ("BV", 25.0), ("N.V.", 15.0)]),
    ("se", &[("AB", 90.0), ("AB (publ)", 10.0)]),
    ("ch", &[("AG", 50.0), ("SA", 30.0), ("GmbH", 20.0)]),
    ("mx", &[("S.C.", 10.0), ("S.A. de C.V.", 70.0), ("S.A.B. de C.V.", 20.0)]),
    ("il", &[("Ltd", 40.0), ("Ltd.", 60.0)]),
    ("sg", &[("Limited", 25.0), ("Pte. Ltd.", 45.0), ("Pte Ltd", 30.0)]),
    ("pl", &[("S.A.", 40.0), ("Sp. z o.o.", 60.0)]),
    ("tr", &[("A.Ş.", 70.0), ("Ltd. Şti.", 30.0)]),
    ("id", &[("Tbk", 100.0)]),
    ("be", &[("NV", 35.0), ("SA", 30.0), ("BV", 20.0), ("SRL", 15.0)]),
    ("hk", &[("Limited", 80.0), ("Co., Limited", 20.0)]),
    ("dk", &[("ApS", 60.0), ("A/S", 40.0)]),
    ("za", &[("Limited", 40.0), ("(Pty) Ltd", 60.0)]),
    ("no", &[("AS", 75.0), ("ASA", 25.0)]),
    ("fi", &[("Oy", 70.0), ("Oyj", 30.0)]),
    ("ie", &[("Limited", 60.0), ("plc", 25.0), ("DAC", 15.0)]),
    ("ae", &[("LLC", 60.0), ("L.L.C.", 20.0), ("PJSC", 20.0)]),
    ("my", &[("Berhad", 40.0), ("Sdn. Bhd.", 60.0)]),
    ("pt", &[("Lda.", 60.0), ("S.A.", 40.0)]),
    ("vn", &[("JSC", 50.0), ("Co., Ltd.", 50.0)]),
    ("cz", &[("a.s.", 40.0), ("s.r.o.", 60.0)]),
    ("cl", &[("SpA", 50.0), ("S.A.", 35.0), ("Ltda.", 15.0)]),
    ("gr", &[("S.A.", 80.0), ("IKE", 20.0)]),
    ("ro", &[("SRL", 70.0), ("S.A.", 30.0)]),
    ("ua", &[("LLC", 60.0), ("PJSC", 25.0), ("JSC", 15.0)]),
    ("hu", &[("Kft.", 65.0), ("Zrt.", 20.0), ("Nyrt.", 15.0)]),
    ("ee", &[("OÜ", 75.0), ("AS", 25.0)]),
    ("bg", &[("AD", 40.0), ("OOD", 30.0), ("EOOD", 30.0)]),
    ("lt", &[("UAB", 85.0), ("AB", 15.0)]),
    ("lv", &[("SIA", 85.0), ("AS", 15.0)]),
    ("hr", &[("d.o.o.", 75.0), ("d.d.", 25.0)]),
    ("is", &[("ehf.", 70.0), ("hf.", 30.0)]),
];

/// One record in so many has a name of one word: one of each block of that many, so that they can
/// be numbered.
pub const BLOCK: u64 = 4;
/// Words with this number and above belong to names.
const FIRST_NAME_WORD: u64 = 1 << 20;
/// Names of 2, 3, 4, 5, 6, 7 words, of those that have more than one.
const WORD_COUNT_WEIGHTS: [f64; 6] = [33.0, 25.0, 11.0, 3.8, 1.6, 0.6];
/// Share of the names of 2, 3, 4 … words that end in a legal form.
const LEGAL_FORM_SHARES: [f64; 6] = [0.4, 0.86, 0.9, 0.9, 0.9, 0.9];
/// Other words of names: the rank where the law begins; exponent as [`SplitMix64::pareto_half`] has
/// it.
const RARE_WORDS_FROM: f64 = 300.0;
/// Share of the first words of two that are one-word names too, and the share of those names that
/// are so used.
const SHARED_FIRST_SHARE: f64 = 0.9;
const OFTEN_SHARED: f64 = 0.2;
/// Share of the last words that are one of [`NOUNS`].
const NOUN_LAST_SHARE: f64 = 0.75;
/// Shares of words that are joined by a hyphen, run together, possessive, an acronym, or followed
/// by a number.
const STYLE_SHARES: [f64; 5] = [0.012, 0.02, 0.006, 0.015, 0.008];

/// A name, and what its host is made of.
#[derive(Default)]
pub struct Name {
    pub text: String,
    /// Length in bytes of `text` without the legal form.
    pub core_len: usize,
    /// The words without the legal form as hosts write them: lower-case ASCII letters and digits,
    /// hyphens between.
    pub host_stem: String,
}

pub struct Names {
    nouns: Vec<&'static str>,
    noun_ranks: AliasTable,
    openers: Vec<&'static str>,
    opener_ranks: AliasTable,
    word_counts: AliasTable,
    /// Parallel to [`LEGAL_FORMS`].
    legal_form_ranks: Vec<AliasTable>,
    /// How many one-word names there are, and so how many words they are made of.
    own_words: u64,
}

impl Names {
    pub fn new(records: u64) -> Self {
        let nouns: Vec<_> = NOUNS.split_whitespace().collect();
        let openers: Vec<_> = OPENERS.split_whitespace().collect();
        let form_weights =
            |forms: &[(&str, f64)]| forms.iter().map(|(_, weight)| *weight).collect::<Vec<_>>();
        Self {
            noun_ranks: AliasTable::zipf(nouns.len(), 0.9),
            opener_ranks: AliasTable::zipf(openers.len(), 0.7),
            nouns,
            openers,
            word_counts: AliasTable::new(&WORD_COUNT_WEIGHTS),
            legal_form_ranks: LEGAL_FORMS
                .iter()
                .map(|(_, forms)| AliasTable::new(&form_weights(forms)))
                .collect(),
            own_words: records.div_ceil(BLOCK).max(1),
        }
    }

    /// The name of record `index`; `block_random` must be the same for the records of one block.
    pub fn write(
        &self,
        index: u64,
        block_random: u64,
        country: &Country,
        accented: bool,
        rng: &mut SplitMix64,
    ) -> Name {
        let mut name = Name::default();
        if index % BLOCK == block_random % BLOCK {
            let word = capitalised_word(FIRST_NAME_WORD + index / BLOCK);
            name.push_word(&word, accented, country, rng);
            name.core_len = name.text.len();
            return name;
        }
        let count_ordinal = self.word_counts.sample(rng);
        let words = count_ordinal + 2;
        let form = rng
            .chance(LEGAL_FORM_SHARES[count_ordinal])
            .then(|| self.draw_form(words, country, rng));
        let core_words =
            words - form.map_or(0, |form| form.split(' ').filter(|part| *part != ",").count());
        let accented_word =
            if accented { rng.below(core_words as u64) as usize } else { usize::MAX };
        for position in 0..core_words {
            if position > 0 {
                name.text.push(' ');
            }
            let connects = core_words > 2 && position == core_words / 2 && rng.chance(0.3);
            if connects {
                name.text.push_str(rng.pick(&CONNECTORS));
                continue;
            }
            let word = self.draw_word(position, core_words, rng);
            let word = if position == 0 { style(word, rng) } else { word };
            name.push_word(&word, position == accented_word, country, rng);
        }
        name.core_len = name.text.len();
        if let Some(form) = form {
            if !form.starts_with(',') {
                name.text.push(' ');
            }
            name.text.push_str(form);
        }
        name
    }

    /// A form that leaves room for another word.
    fn draw_form(&self, words: usize, country: &Country, rng: &mut SplitMix64) -> &'static str {
        let group = LEGAL_FORMS
            .iter()
            .position(|(group, _)| *group == country.legal_group)
            .unwrap_or_default();
        let forms = LEGAL_FORMS[group].1;
        for _ in 0..4 {
            let (form, _) = forms[self.legal_form_ranks[group].sample(rng)];
            if form.trim_start_matches(", ").split(' ').count() < words {
                return form;
            }
        }
        forms[0].0
    }

    /// A word that is also the whole of a name, among the first `share` of them, mostly one of low
    /// number.
    fn shared_word(&self, share: f64, rng: &mut SplitMix64) -> String {
        let unit = rng.unit();
        let position = unit * unit * share * self.own_words as f64;
        capitalised_word(FIRST_NAME_WORD + position as u64)
    }

    fn draw_word(&self, position: usize, core_words: usize, rng: &mut SplitMix64) -> String {
        let kind = rng.unit();
        let last = position + 1 == core_words;
        // Two common words would soon be a name many times over.
        let opener_from = if core_words == 2 { 0.98 } else { 0.8 };
        if position == 0 && core_words == 1 {
            return self.shared_word(1.0, rng);
        }
        if position == 0 && core_words == 2 && kind < SHARED_FIRST_SHARE {
            return self.shared_word(OFTEN_SHARED, rng);
        }
        if last && kind < NOUN_LAST_SHARE {
            return self.nouns[self.noun_ranks.sample(rng)].to_owned();
        }
        if position == 0 && kind > opener_from {
            return self.openers[self.opener_ranks.sample(rng)].to_owned();
        }
        capitalised_word(rng.pareto_half(RARE_WORDS_FROM).min((WORDS - 1) as f64) as u64)
    }
}

impl Name {
    fn push_word(&mut self, word: &str, accented: bool, country: &Country, rng: &mut SplitMix64) {
        let start = self.text.len();
        self.text.push_str(word);
        if accented {
            accent(&mut self.text, start, country.accents, rng);
        }
        if !self.host_stem.is_empty() {
            self.host_stem.push('-');
        }
        push_host_letters(&self.text[start..], &mut self.host_stem);
    }

    /// The name without its legal form.
    pub fn core(&self) -> &str {
        &self.text[..self.core_len]
    }

    /// Appends the label that the business would register: up to three words, mostly run together.
    pub fn push_host(&self, rng: &mut SplitMix64, out: &mut String) {
        let (word_count, separator) = match rng.below(20) {
            0..2 => (1, ""),
            2..5 => (3, "-"),
            _ => (3, ""),
        };
        for (position, word) in self.host_stem.split('-').take(word_count).enumerate() {
            if position > 0 {
                out.push_str(separator);
            }
            out.push_str(word);
        }
    }
}

/// Some first words of names are more than a plain word.
fn style(mut word: String, rng: &mut SplitMix64) -> String {
    let mut kind = rng.unit();
    let Some(style) = STYLE_SHARES.iter().position(|share| {
        kind -= share;
        kind <= 0.0
    }) else {
        return word;
    };
    let other = rng.below(5000);
    let end = word.len();
    match style {
        0 => {
            word.push('-');
            push_word(other, &mut word);
            capitalise(&mut word, end + 1);
        }
        1 => {
            push_word(other, &mut word);
            capitalise(&mut word, end);
        }
        2 => word.push_str("'s"),
        3 => {
            let letters = 2 + rng.below(3);
            word = (0..letters).map(|_| char::from(b'A' + rng.below(26) as u8)).collect();
            if rng.chance(0.2) {
                word = word.chars().flat_map(|letter| [letter, '.']).collect();
            } else if rng.chance(0.2) {
                word.insert(1, '&');
            }
        }
        _ => word.push_str(&(1 + rng.below(999)).to_string()),
    }
    word
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::*;

    #[test]
    fn every_legal_group_has_a_short_form() {
        for (group, forms) in LEGAL_FORMS {
            assert!(!forms[0].0.contains(' '), "{group}");
        }
        for country in Places::new().countries {
            assert!(
                LEGAL_FORMS.iter().any(|(group, _)| *group == country.legal_group),
                "{}",
                country.name
            );
        }
    }
}
