//! What values of industry, city, state and country there are, how many documents have each, and
//! which of them a document has.
//!
//! ```text
//! FacetSets   := SET^N for each facet (PACKED, below its SETS, by DocId)
//! FacetValues := FACET^4
//! FACET       := SETS VALUES MEMBERS TEXTS WORDS MISSING (u32 each)
//!                END^SETS (u32), MEMBER^MEMBERS (u32), COUNT^VALUES (u32), TEXT_END^VALUES (u32), WORDS_END^VALUES (u32),
//!                TEXTS bytes, WORDS bytes, zero bytes up to the next multiple of 4
//! ```
//!
//! A document may have several values of a facet (England lies in the United Kingdom), and there
//! are more than 65,535 cities: by document stands the number of the *set* of its values, and `END`
//! says where the values of each set end among the members. Set 0 is that of documents without a
//! value, `MISSING` of them. Values stand in the order of their counts, most first, then of their
//! texts: the counts over all documents are an answer as they stand. `WORDS` are the folded words
//! of each text, a space before each, to be searched for what a word begins with.

use crate::analyzer::fold_filter;
use crate::bytes::cast;
use crate::ids::DocId;
use crate::snapshot::encoding::packed_ints::PackedInts;
use crate::snapshot::file::error::SnapshotError;
use crate::snapshot::file::mapped::Section;
use std::ops::Range;

/// A facet whose values are texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextFacet {
    /// Industries.
    Industry,
    /// Cities.
    City,
    /// States.
    State,
    /// Countries.
    Country,
}

impl TextFacet {
    /// All of them, in the order of the sections.
    pub const ALL: [TextFacet; 4] =
        [TextFacet::Industry, TextFacet::City, TextFacet::State, TextFacet::Country];
}

/// Numbers before the arrays of a facet.
const HEAD: usize = 6;

/// Where things stand, in bytes of the section of values.
#[derive(Clone, Debug)]
struct Layout {
    ends: Range<usize>,
    members: Range<usize>,
    counts: Range<usize>,
    text_ends: Range<usize>,
    word_ends: Range<usize>,
    texts: Range<usize>,
    words: Range<usize>,
    missing: u32,
    /// Of its column in the other section.
    sets: Range<usize>,
}

/// The facets of a snapshot.
pub struct Facets {
    sets: Section,
    values: Section,
    layouts: [Layout; TextFacet::ALL.len()],
}

impl Facets {
    /// Opens the facets and checks them completely, but for counts.
    ///
    /// # Errors
    /// A section is not what a build writes.
    pub fn open([sets, values]: [Section; 2], num_docs: u32) -> Result<Facets, SnapshotError> {
        let numbers: &[u32] = values.checked_slice()?;
        let (mut at, mut column) = (0, 0);
        let mut layouts = Vec::with_capacity(TextFacet::ALL.len());
        for _ in TextFacet::ALL {
            let layout = Layout::read(numbers, &mut at, &mut column, num_docs);
            layouts.push(layout.ok_or_else(|| values.damaged("a facet is cut off"))?);
        }
        if at != values.as_ref().len() {
            return Err(values.damaged("bytes are left over"));
        }
        if column != sets.as_ref().len() {
            return Err(sets.damaged("one set per document and facet is expected"));
        }
        let layouts = layouts.try_into().unwrap_or_else(|_| unreachable!("one for each"));
        let facets = Facets { sets, values, layouts };
        for facet in TextFacet::ALL {
            let layout = &facets.layouts[facet as usize];
            facets.of(facet).check().map_err(|reason| facets.values.damaged(reason))?;
            let bytes = &facets.sets.as_ref()[layout.sets.clone()];
            PackedInts::check(bytes, facets.of(facet).num_sets())
                .map_err(|reason| facets.sets.damaged(reason))?;
        }
        Ok(facets)
    }

    /// One facet.
    pub fn of(&self, facet: TextFacet) -> FacetColumn<'_> {
        let layout = &self.layouts[facet as usize];
        let values = self.values.as_ref();
        let numbers = |range: &Range<usize>| cast::<u32>(&values[range.clone()]);
        let ends = numbers(&layout.ends);
        let sets = &self.sets.as_ref()[layout.sets.clone()];
        FacetColumn {
            sets: PackedInts::read(sets, ends.len() as u32),
            ends,
            members: numbers(&layout.members),
            counts: numbers(&layout.counts),
            text_ends: numbers(&layout.text_ends),
            word_ends: numbers(&layout.word_ends),
            texts: &values[layout.texts.clone()],
            words: &values[layout.words.clone()],
            missing: layout.missing,
        }
    }
}

impl Layout {
    /// The layout of the facet that begins at `at`, which is moved behind it, as `column` is.
    fn read(numbers: &[u32], at: &mut usize, column: &mut usize, docs: u32) -> Option<Layout> {
        let start = *at / size_of::<u32>();
        let head: &[u32; HEAD] = numbers.get(start..)?.first_chunk()?;
        let [sets, values, members, texts, words, missing] = *head;
        let mut end = *at + HEAD * size_of::<u32>();
        let len = size_of_val(numbers);
        let mut take = |bytes: usize| {
            let range = end..end.checked_add(bytes)?;
            end = range.end;
            (end <= len).then_some(range)
        };
        let mut words_of = |count: u32| take((count as usize).checked_mul(size_of::<u32>())?);
        let (ends, members, counts) = (words_of(sets)?, words_of(members)?, words_of(values)?);
        let (text_ends, word_ends) = (words_of(values)?, words_of(values)?);
        let (texts, words) = (take(texts as usize)?, take(words as usize)?);
        *at = end.next_multiple_of(size_of::<u32>());
        let width = crate::snapshot::encoding::packed_ints::width(sets);
        let sets = *column..*column + width * docs as usize;
        *column = sets.end;
        Some(Layout { ends, members, counts, text_ends, word_ends, texts, words, missing, sets })
    }
}

/// The values of a facet, and which of them documents have.
#[derive(Clone, Copy, Debug)]
pub struct FacetColumn<'a> {
    sets: PackedInts<'a>,
    ends: &'a [u32],
    members: &'a [u32],
    counts: &'a [u32],
    text_ends: &'a [u32],
    word_ends: &'a [u32],
    texts: &'a [u8],
    words: &'a [u8],
    missing: u32,
}

impl<'a> FacetColumn<'a> {
    fn check(&self) -> Result<(), &'static str> {
        let ascend = |ends: &[u32]| ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let are_ends = |ends: &[u32], len: usize| {
            ascend(ends) && ends.last().map_or(0, |&end| end as usize) == len
        };
        let num_values = self.num_values();
        if self.ends.first() != Some(&0) || !are_ends(self.ends, self.members.len()) {
            return Err("sets do not join");
        }
        if self.members.iter().any(|&value| value >= num_values) {
            return Err("a set has a value that is not there");
        }
        let do_join = are_ends(self.text_ends, self.texts.len())
            && are_ends(self.word_ends, self.words.len());
        let is_text = |value| std::str::from_utf8(self.text_bytes(value)).is_ok();
        if !do_join || !(0..num_values).all(is_text) {
            return Err("the texts of values do not join");
        }
        Ok(())
    }

    /// How many sets of values there are.
    pub fn num_sets(&self) -> u32 {
        self.ends.len() as u32
    }

    /// How many values there are.
    pub fn num_values(&self) -> u32 {
        self.counts.len() as u32
    }

    /// How many documents have no value.
    pub fn missing(&self) -> u32 {
        self.missing
    }

    /// The set of a document's values; 0 if it has none.
    #[inline]
    pub fn set_of(&self, doc: DocId) -> u32 {
        self.sets.get(doc.index())
    }

    /// The values of a set.
    pub fn members(&self, set: u32) -> &'a [u32] {
        &self.members[part(self.ends, set)]
    }

    /// How many documents have a value.
    pub fn count(&self, value: u32) -> u32 {
        self.counts[value as usize]
    }

    /// A value as most records write it.
    pub fn text(&self, value: u32) -> &'a str {
        std::str::from_utf8(self.text_bytes(value)).unwrap_or_default()
    }

    fn text_bytes(&self, value: u32) -> &'a [u8] {
        &self.texts[part(self.text_ends, value)]
    }

    /// The values with a word that begins with one of `beginnings`, ascending.
    pub fn beginning(&self, beginnings: &[String]) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        for beginning in beginnings {
            let mut from = 0;
            while let Some(at) = memchr::memmem::find(&self.words[from..], beginning.as_bytes()) {
                let at = (from + at) as u32;
                let value = self.word_ends.partition_point(|&end| end <= at);
                let end = self.word_ends[value];
                // A beginning of two words is none across two values.
                if at as usize + beginning.len() <= end as usize {
                    found.push(value as u32);
                    from = end as usize;
                } else {
                    from = at as usize + 1;
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What stands between two ends.
fn part(ends: &[u32], number: u32) -> Range<usize> {
    let start = (number as usize).checked_sub(1).map_or(0, |before| ends[before] as usize);
    start..ends[number as usize] as usize
}

/// The folded words of a text, a space before each: of each of its forms.
pub fn words(text: &str) -> Vec<String> {
    let words = |form: &String| {
        let words = form.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.flat_map(|word| [" ", word]).collect::<String>()
    };
    fold_filter(text).iter().map(words).filter(|words| !words.is_empty()).collect()
}

/// A value that is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// As most records write it.
    pub text: String,
    /// How many documents have it.
    pub count: u32,
}

/// The bytes of a facet's values, in their order, and sets, of which the first is empty.
pub fn encode(values: &[Value], sets: &[Vec<u32>], missing: u32) -> Vec<u8> {
    let (mut texts, mut all_words) = (String::new(), String::new());
    let (mut text_ends, mut word_ends) = (Vec::new(), Vec::new());
    for value in values {
        texts.push_str(&value.text);
        text_ends.push(texts.len() as u32);
        words(&value.text).iter().for_each(|words| all_words.push_str(words));
        word_ends.push(all_words.len() as u32);
    }
    let members: Vec<u32> = sets.iter().flatten().copied().collect();
    let lens = [sets.len(), values.len(), members.len(), texts.len(), all_words.len()];
    let mut numbers: Vec<u32> = lens.into_iter().map(|len| len as u32).collect();
    numbers.push(missing);
    let mut end = 0;
    numbers.extend(sets.iter().map(|set| {
        end += set.len() as u32;
        end
    }));
    numbers.extend(members);
    numbers.extend(values.iter().map(|value| value.count));
    numbers.extend(text_ends);
    numbers.extend(word_ends);
    let mut bytes = bytemuck::cast_slice(&numbers).to_vec();
    bytes.extend_from_slice(texts.as_bytes());
    bytes.extend_from_slice(all_words.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(size_of::<u32>()), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::file::section_kind::SectionKind;

    fn value(text: &str, count: u32) -> Value {
        Value { text: text.to_owned(), count }
    }

    fn section(kind: SectionKind, bytes: &[u8]) -> Section {
        Section::copy(kind, bytes)
    }

    fn sample() -> (Vec<u8>, Vec<u8>) {
        let values = [value("New York", 3), value("Böhme-Yard", 2), value("York, Newton", 1)];
        let sets = [vec![], vec![0, 1], vec![2]];
        let mut bytes = encode(&values, &sets, 1);
        (0..3).for_each(|_| bytes.extend(encode(&[], &[vec![]], 4)));
        let columns = [[1, 0, 2, 1], [0; 4], [0; 4], [0; 4]].concat();
        (columns, bytes)
    }

    fn open(columns: &[u8], values: &[u8]) -> Result<Facets, SnapshotError> {
        let sets = section(SectionKind::FacetSets, columns);
        Facets::open([sets, section(SectionKind::FacetValues, values)], 4)
    }

    #[test]
    fn what_is_written_is_read() {
        let (columns, values) = sample();
        let facets = open(&columns, &values).unwrap();
        let facet = facets.of(TextFacet::Industry);
        assert_eq!((facet.num_sets(), facet.num_values(), facet.missing()), (3, 3, 1));
        let sets: Vec<u32> = (0..4).map(|doc| facet.set_of(DocId(doc))).collect();
        assert_eq!(sets, [1, 0, 2, 1]);
        assert_eq!(
            (facet.members(0), facet.members(1), facet.members(2)),
            (&[][..], &[0, 1][..], &[2][..])
        );
        assert_eq!((facet.text(1), facet.count(1)), ("Böhme-Yard", 2));
        assert_eq!(facets.of(TextFacet::City).num_values(), 0);
    }

    #[test]
    fn values_are_found_by_what_their_words_begin_with() {
        let (columns, values) = sample();
        let facets = open(&columns, &values).unwrap();
        let facet = facets.of(TextFacet::Industry);
        for (beginning, expected) in [
            ("y", &[0, 1, 2][..]),
            ("YO", &[0, 2]),
            ("new", &[0, 2]),
            ("newt", &[2]),
            ("new y", &[0]),
            ("york b", &[]),
            ("bö", &[1]),
            ("boehme y", &[1]),
            ("ork", &[]),
            ("york newton", &[2]),
        ] {
            assert_eq!(facet.beginning(&words(beginning)), expected, "{beginning}");
        }
        assert_eq!(words(" -!"), Vec::<String>::new());
    }

    #[test]
    fn what_does_not_join_is_refused() {
        let (columns, values) = sample();
        assert!(open(&columns[1..], &values).is_err());
        assert!(open(&columns, &values[4..]).is_err());
        assert!(open(&columns, &values[..values.len() - 4]).is_err());
        for at in 0..columns.len() {
            let mut changed = columns.clone();
            changed[at] = 3;
            assert!(open(&changed, &values).is_err(), "{at}");
        }
        // Whatever a number is changed to, opening refuses it, or nothing that is read is missing.
        for at in 0..values.len() / 4 {
            for number in [0, 1, 5, u32::MAX] {
                let mut changed = values.clone();
                changed[at * 4..at * 4 + 4].copy_from_slice(&number.to_le_bytes());
                let Ok(facets) = open(&columns, &changed) else { continue };
                for facet in TextFacet::ALL.map(|facet| facets.of(facet)) {
                    for set in 0..facet.num_sets() {
                        facet.members(set).iter().for_each(|&value| _ = facet.text(value));
                    }
                    facet.beginning(&words("y"));
                }
            }
        }
    }
}
