//! Descriptions: sentences whose word frequencies follow those of real company descriptions.
//!
//! Facts reproduced: 20 to 150 words; rank-frequency exponent about 1.05 at the head and 1.5 far
//! down, so that n words of text hold about 4 n^0.67 different ones; 16 words stand in over half of
//! the texts, some 85 in over 10 % and some 1,000 in over 1 %. The commonest words are English, the
//! others synthesised. Word order is random but for a few fixed pairs ("real estate"), and each
//! industry has its own topic words.

use super::random::{AliasTable, SplitMix64, mix};
use super::words::{WORDS, capitalise, push_word};

/// The commonest words, most frequent first; a star marks those that end no sentence and take no
/// comma.
const COMMON_WORDS: &str = "
and* the* of* in* to* a* for* is* company with* its* as* services products by* on* that* from* are*
an* our* based it provides has* offers or* was* business also* their* other customers through* we*
management solutions such* founded data systems team quality design development new* technology at*
including* which* software industry support clients can* this* market help* more* platform world
energy equipment operates* people high* global health over* who* financial network project
engineering food care experience power real home companies wide* range research sales construction
information use well production be* local online system all* into* have* one* water years mobile
group media service oil gas working custom* growth not* value time digital first* estate most*
offer* within* long* parts retail small* building* process they* you* your* across* needs leading*
control medical security provide* cost marketing training markets family* materials safety brand
natural investment commercial property life devices area united states under* education public*
tools work personal brands key* industrial model client consulting various* capital chain private*
light learning between* metal video focus internet goal delivery owned* run* strategy supply any*
storage than* machine cloud insurance develops* logistics consumer manufacturing operations art
mission games program partners access applications environment together* focused* steel wood
located* travel paper corporate glass community performance events content sports distribution
resources testing hotel programs advanced* payment drugs maintenance government transport fashion
planning vehicle hotels beauty women men staff analysis integrated* electric* plastic electronic*
specialty* textile users school vehicles fitness web chemical* app apps sites email science owners
phone student voice image sound music film automation books news hospital press patients experts
print clinical* professional* label pharmacy search members pumps students images pipes teachers
farmers components children workers facilities solar* individuals wind* treatment website coal
labels gold iron valves audience families cables restaurant robots drones grid citizens sustainable*
waste engineers agricultural* designers copper laboratory investors silver engines water-based
mining residential* loans university restaurants sensors bank employees funds fund printing nuclear*
asset developers repair tax scientists rental machines audit legal* credit law utility equity assets
packaging wealth leasing lending drilling refining savings pipeline banking roads batteries garden
cleaning ports ships cars mortgage payroll cement tires pipelines spare* fuel fuels utilities
kitchen recycling heating cooling roofing trucks advisory meat dairy grain fruit bridges interior*
railway tea wine beer carbon flooring lighting forest sugar freight pet* exploration plumbing toys
painting gifts concrete coffee furniture railways aviation aircraft skin airports climate snacks
hair bakery accounting eye shipping spices fishing seafood cell cells bicycles cotton charging
stations spirits dental* forestry vision organic* fast* easy* recruitment jewelry outsourcing
watches translation apparel leather remote* daily emissions secure* simple* today ventilation
hearing since* genetic* modern* after* therapy while* vaccine footwear where* architecture imaging
when* how* what* every* each* many* virtual* annual* three* two* both* before* own* full*
motorcycles during* large* major* vegetables main* surgical* implants cosmetics wearable* best*
open* monthly free* human* reliable* because* rural* urban* unique* better* asian* several* north*
direct* south* east* west* social* special* dedicated* general* committed* monitoring worldwide
complete* innovative* diagnostics affordable* specific* african* creative* central* traditional*
economic* million national* billion independent* regional* european* american* strategic* technical*
northern* southern* headquartered* international* infrastructure award-winning*
";

/// Pairs that belong together: after the first word the second follows in [`PAIR_SHARE`] of the
/// cases.
const PAIRS: &str = "
based in, headquartered in, located in, real estate, well as, such as, oil and, united states,
supply chain, wide range, range of, high quality, together with, founded in, long time, new markets,
small business, personal care, health care, solar energy, wind power, data storage, machine
learning, social media, natural gas, spare parts, private equity, wealth management, asset
management, focused on, dedicated to, committed to, fitness training, mobile apps, cloud software,
clinical research, award-winning design, since the, during the, pet food, dental care, video games,
skin care, central bank
";
const PAIR_SHARE: f64 = 0.5;

/// Share of all words at chosen ranks; between them the logarithms are interpolated. The last rank
/// is the end of the table: from there on ranks are drawn from a Pareto law of exponent 1/2
/// (frequency falls with rank^-1.5).
const SHARES: [(usize, f64); 5] = [
    (1, 0.038),
    (16, 0.0207),
    (85, 0.002_35),
    (1000, 0.000_22),
    (TABLE_LEN, TAIL_SHARE / 2.0 / TABLE_LEN as f64),
];
const TABLE_LEN: usize = 4096;
/// Share of all words beyond the table.
const TAIL_SHARE: f64 = 0.050;
/// Words of rank below this are made in advance.
const CACHED_WORDS: usize = 1 << 16;
/// Words of these ranks are avoided a second time in one text; the very commonest repeat freely.
const RARELY_REPEATED: std::ops::Range<usize> = 5..2048;

/// Length of a text, in words: log-normal with this median and deviation, drawn again outside the
/// bounds.
const MEDIAN_WORDS: f64 = 52.5;
const WORDS_SIGMA: f64 = 0.46;
const WORDS_MIN: f64 = 20.0;
const WORDS_MAX: f64 = 150.0;

/// Shares of words that are a topic word of the industry, a number, followed by a comma, joined by
/// a hyphen.
const TOPIC_SHARE: f64 = 0.04;
const NUMBER_SHARE: f64 = 0.005;
const COMMA_SHARE: f64 = 0.09;
const HYPHEN_SHARE: f64 = 0.015;
/// Share of the texts that open with the name.
const NAME_FIRST_SHARE: f64 = 0.2;
const TOPIC_WORDS: usize = 14;

pub struct Descriptions {
    ranks: AliasTable,
    /// All cached words, one after another, and where each begins.
    cached: String,
    starts: Vec<u32>,
    /// By rank, for the English words: ends no sentence.
    leads_on: Vec<bool>,
    /// By rank, for the English words: the rank that tends to follow, or its own.
    followers: Vec<u16>,
    /// By industry.
    topics: Vec<Vec<String>>,
}

impl Descriptions {
    pub fn new(industries: &[String]) -> Self {
        let common: Vec<&str> = COMMON_WORDS.split_whitespace().collect();
        let leads_on: Vec<bool> = common.iter().map(|word| word.ends_with('*')).collect();
        let common: Vec<&str> = common.iter().map(|word| word.trim_end_matches('*')).collect();
        let rank_of = |word: &str| common.iter().position(|other| *other == word);
        let mut followers: Vec<u16> = (0..common.len() as u16).collect();
        for pair in PAIRS.split(',').map(|pair| pair.split_whitespace().collect::<Vec<_>>()) {
            if let (Some(first), Some(second)) = (rank_of(pair[0]), rank_of(pair[1])) {
                followers[first] = second as u16;
            }
        }
        let mut cached = String::with_capacity(CACHED_WORDS * 9);
        let mut starts = vec![0];
        for rank in 0..CACHED_WORDS {
            match common.get(rank) {
                Some(word) => cached.push_str(word),
                None => push_word(rank as u64, &mut cached),
            }
            starts.push(cached.len() as u32);
        }
        let ranks = AliasTable::new(&rank_weights());
        let mut descriptions =
            Self { ranks, cached, starts, leads_on, followers, topics: Vec::new() };
        descriptions.topics = (0u64..)
            .zip(industries)
            .map(|(ordinal, name)| descriptions.topic_words(ordinal, name))
            .collect();
        descriptions
    }

    /// The words of the industry's name, and some of the vocabulary's middle.
    fn topic_words(&self, ordinal: u64, industry: &str) -> Vec<String> {
        let own = industry
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| word.len() > 3)
            .map(str::to_lowercase);
        let others = (0..TOPIC_WORDS as u64).map(|slot| {
            self.cached_word(90 + (mix(ordinal * TOPIC_WORDS as u64 + slot) % 1500) as usize)
                .to_owned()
        });
        own.chain(others).take(TOPIC_WORDS).collect()
    }

    fn cached_word(&self, rank: usize) -> &str {
        &self.cached[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }

    /// Appends a text of whole sentences; `name` may open it.
    pub fn write(&self, rng: &mut SplitMix64, name: &str, industry: usize, out: &mut String) {
        let mut words_left = text_len(rng);
        let mut writer =
            TextWriter { vocabulary: self, seen: [0; RARELY_REPEATED.end / 64], pending: None };
        let mut sentence_start = out.len();
        if rng.chance(NAME_FIRST_SHARE) {
            out.push_str(name);
            out.push_str(rng.pick(&[" is ", " provides ", " offers ", " develops ", " operates "]));
            words_left = words_left.saturating_sub(name.split(' ').count() + 1).max(4);
        }
        while words_left > 0 {
            let sentence_len = words_left.min(8 + rng.below(17) as usize);
            // A rest of a few words would be no sentence: it joins this one.
            let sentence_len =
                if words_left - sentence_len < 4 { words_left } else { sentence_len };
            for left in (0..sentence_len).rev() {
                let leads_on = writer.push_token(rng, industry, left == 0, out);
                if left == 0 {
                    out.push('.');
                } else if !leads_on && writer.pending.is_none() && rng.chance(COMMA_SHARE) {
                    out.push_str(", ");
                } else if !leads_on && writer.pending.is_none() && rng.chance(HYPHEN_SHARE) {
                    out.push('-');
                } else {
                    out.push(' ');
                }
            }
            capitalise(out, sentence_start);
            words_left -= sentence_len;
            if words_left > 0 {
                out.push(' ');
                sentence_start = out.len();
            }
        }
    }
}

/// What a text remembers while it is written.
struct TextWriter<'a> {
    vocabulary: &'a Descriptions,
    /// Bit set of the ranks used so far.
    seen: [u64; RARELY_REPEATED.end / 64],
    /// The rank that completes a pair.
    pending: Option<usize>,
}

impl TextWriter<'_> {
    /// Appends one word; returns whether it wants another one behind it. `last` words never do.
    fn push_token(
        &mut self,
        rng: &mut SplitMix64,
        industry: usize,
        last: bool,
        out: &mut String,
    ) -> bool {
        let vocabulary = self.vocabulary;
        if self.pending.is_none() {
            let kind = rng.unit();
            if kind < TOPIC_SHARE {
                let topics = &vocabulary.topics[industry];
                out.push_str(&topics[rng.below(topics.len() as u64) as usize]);
                return false;
            }
            if kind < TOPIC_SHARE + NUMBER_SHARE {
                push_number(rng, out);
                return false;
            }
        }
        let mut rank = self.pending.take().unwrap_or_else(|| self.draw_rank(rng));
        while last && vocabulary.leads_on.get(rank) == Some(&true) {
            rank = self.draw_rank(rng);
        }
        if rank < RARELY_REPEATED.end {
            self.seen[rank / 64] |= 1 << (rank % 64);
        }
        if rank < CACHED_WORDS {
            out.push_str(vocabulary.cached_word(rank));
        } else {
            push_word(rank as u64, out);
        }
        let Some(&follower) = vocabulary.followers.get(rank) else { return false };
        if usize::from(follower) != rank && !last && rng.chance(PAIR_SHARE) {
            self.pending = Some(usize::from(follower));
        }
        vocabulary.leads_on[rank]
    }

    /// A rank by its share; one already used in this text is drawn again, twice at most.
    fn draw_rank(&self, rng: &mut SplitMix64) -> usize {
        let mut rank = 0;
        for _ in 0..3 {
            rank = self.vocabulary.ranks.sample(rng);
            if !RARELY_REPEATED.contains(&rank) || self.seen[rank / 64] & (1 << (rank % 64)) == 0 {
                break;
            }
        }
        if rank < TABLE_LEN {
            return rank;
        }
        rng.pareto_half(TABLE_LEN as f64).min((WORDS - 1) as f64) as usize
    }
}

/// The weights of the ranks of the table, and of all ranks beyond it together.
fn rank_weights() -> Vec<f64> {
    let mut weights = Vec::with_capacity(TABLE_LEN + 1);
    for pair in SHARES.windows(2) {
        let [(first_rank, first_share), (last_rank, last_share)] = [pair[0], pair[1]];
        let slope = (last_share / first_share).ln() / (last_rank as f64 / first_rank as f64).ln();
        let segment = weights.len() + 1..last_rank + usize::from(last_rank == TABLE_LEN);
        weights.extend(
            segment.map(|rank| first_share * (rank as f64 / first_rank as f64).powf(slope)),
        );
    }
    let table_share: f64 = weights.iter().sum();
    for weight in &mut weights {
        *weight *= (1.0 - TAIL_SHARE) / table_share;
    }
    weights.push(TAIL_SHARE);
    weights
}

fn text_len(rng: &mut SplitMix64) -> usize {
    loop {
        let words = rng.log_normal(MEDIAN_WORDS.ln(), WORDS_SIGMA);
        if (WORDS_MIN..=WORDS_MAX).contains(&words) {
            return words as usize;
        }
    }
}

/// A year or a small quantity.
fn push_number(rng: &mut SplitMix64, out: &mut String) {
    let number = match rng.below(4) {
        0 => 1950 + rng.below(75),
        1 => 10 * (1 + rng.below(100)),
        _ => 2 + rng.below(60),
    };
    out.push_str(&number.to_string());
}
