//! A request of the contract in terms of tantivy.
//!
//! In: a [`Query`](firmament::query::request::Query). Out: a query of tantivy that matches the same
//! businesses, the order and the place from which the page is taken; or why there is none
//! ([`LeftOut`]).

use super::index::{Fields, PeerIndex};
use super::words::POSITION_STEP;
use crate::Result;
use firmament::analyzer::{fold_filter, plural};
use firmament::ids::DocId;
use firmament::places;
use firmament::places::{PlaceFilter, PlaceKind, PlacePart};
use firmament::query::cursor::Side;
use firmament::query::text::{Clause, Phrase, QueryWord, Term as TextTerm};
use firmament::query::request::{Query, SortKey, SortOrder};
use firmament::query::text::TextQuery;
use firmament::snapshot::Snapshot;
use std::ops::Bound;
use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhraseQuery, Query as PeerQuery,
    RangeQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

/// Why a request is not compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LeftOut {
    /// Firmament corrected `q`; tantivy has nothing of the kind.
    Corrected,
    /// It asks for something that is not translated: exclusions, starred words, pages backwards.
    Untranslated,
    /// The totals differ.
    Total,
    /// The totals agree, but in an order without scores the pages differ.
    Page,
}

impl LeftOut {
    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            LeftOut::Corrected => "corrected",
            LeftOut::Untranslated => "not translated",
            LeftOut::Total => "other total",
            LeftOut::Page => "other page",
        }
    }
}

/// What orders hits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The static order, which is that of the documents.
    Static,
    /// One of the fast fields of ranks.
    Rank(usize),
    /// The score, the best first.
    BestFirst,
    /// The score, the worst first.
    WorstFirst,
}

/// A request for tantivy.
pub struct Translated {
    /// What matches.
    pub query: Box<dyn PeerQuery>,
    /// What orders it.
    pub order: Order,
    /// The document after which the page begins.
    pub after: Option<DocId>,
    /// Most documents on the page.
    pub limit: usize,
}

type Queries = Vec<Box<dyn PeerQuery>>;

/// Translates requests over one snapshot and its index.
pub struct Translator<'a> {
    snapshot: &'a Snapshot,
    index: &'a PeerIndex,
}

impl<'a> Translator<'a> {
    /// A translator.
    pub fn new(snapshot: &'a Snapshot, index: &'a PeerIndex) -> Translator<'a> {
        Translator { snapshot, index }
    }

    fn fields(&self) -> Fields {
        self.index.fields
    }

    /// The request for tantivy.
    ///
    /// If `q` is relaxed, any word does that is neither in quotes nor a legal form.
    pub fn translate(
        &self,
        query: &Query,
        is_relaxed: bool,
    ) -> Result<std::result::Result<Translated, LeftOut>> {
        let text = &query.text;
        let is_backwards = query.cursor.is_some_and(|cursor| cursor.side == Side::Before);
        let has_star = text.clauses().iter().any(|clause| clause.is_starred);
        if is_backwards || has_star || !text.excluded().is_empty() {
            return Ok(Err(LeftOut::Untranslated));
        }
        let scored = self.text(text, is_relaxed)?;
        let order = match (query.sort, query.order) {
            (SortKey::Relevance, _) if scored.is_empty() => Order::Static,
            (SortKey::Relevance, SortOrder::Desc) => Order::BestFirst,
            (SortKey::Relevance, SortOrder::Asc) => Order::WorstFirst,
            (SortKey::EmployeeCount, SortOrder::Desc) => Order::Static,
            (SortKey::Name, SortOrder::Asc) => Order::Rank(0),
            (SortKey::Name, SortOrder::Desc) => Order::Rank(1),
            (SortKey::EmployeeCount, SortOrder::Asc) => Order::Rank(2),
            (SortKey::FoundedYear, SortOrder::Asc) => Order::Rank(3),
            (SortKey::FoundedYear, SortOrder::Desc) => Order::Rank(4),
        };
        let is_alone = scored.is_empty();
        let mut required = scored;
        for filter in self.filters(query)? {
            // A filter adds nothing to scores.
            let quiet = |query| Box::new(ConstScoreQuery::new(query, 0.0)) as Box<dyn PeerQuery>;
            required.push(if is_alone { filter } else { quiet(filter) });
        }
        let query_of_peer = match required.len() {
            0 => Box::new(AllQuery) as Box<dyn PeerQuery>,
            1 => required.remove(0),
            _ => Box::new(BooleanQuery::intersection(required)),
        };
        Ok(Ok(Translated {
            query: query_of_peer,
            order,
            after: query.cursor.map(|cursor| cursor.position.doc),
            limit: query.limit as usize,
        }))
    }

    /// One query for each clause that must match, and one for those of which any must.
    fn text(&self, text: &TextQuery, is_relaxed: bool) -> Result<Queries> {
        if text.is_wordless() {
            return Ok(vec![Box::new(EmptyQuery)]);
        }
        let required = text.required();
        let (mut queries, mut any) = (Queries::new(), Queries::new());
        for (at, clause) in required.iter().enumerate() {
            let mut ways = self.term(&clause.term)?;
            if let (true, TextTerm::Word(word)) = (clause.is_prefix, &clause.term) {
                for form in word.forms.iter() {
                    ways.extend(self.word_of(self.fields().starts, form)?);
                }
            }
            // A word also matches together with its neighbour, written as one.
            for left in [at.checked_sub(1), Some(at)].into_iter().flatten() {
                let Some([left, right]) = required.get(left..left + 2) else { continue };
                for joined in joined_forms(left, right) {
                    ways.extend(self.word_of(self.fields().names, &joined)?);
                }
            }
            match () {
                () if !is_relaxed || clause.is_quoted => queries.push(union(ways)),
                () if clause.is_legal_form => {}
                // All ways of all words in one union, which is what tantivy is quickest at.
                () => any.extend(ways),
            }
        }
        if is_relaxed {
            queries.push(union(any));
        }
        Ok(queries)
    }

    /// The ways in which a term matches.
    fn term(&self, term: &TextTerm) -> Result<Queries> {
        match term {
            TextTerm::Word(word) => self.word(word),
            TextTerm::Phrase(phrase) => self.phrase(phrase),
            TextTerm::Compound { joined, parts } => {
                let mut ways = self.word(joined)?;
                ways.extend(self.phrase(parts)?);
                Ok(ways)
            }
            TextTerm::Host { name, labels, .. } => {
                let labels: Result<Queries> =
                    labels.iter().map(|label| Ok(union(self.term(label)?))).collect();
                let mut ways: Queries = vec![Box::new(BooleanQuery::intersection(labels?))];
                ways.extend(self.word_of(self.fields().host, name)?);
                Ok(ways)
            }
        }
    }

    /// A word in any field: as written in names and hosts, in singular or plural elsewhere.
    fn word(&self, word: &QueryWord) -> Result<Queries> {
        let mut ways = Queries::new();
        for form in word.forms.iter() {
            ways.extend(self.word_of(self.fields().all, form)?);
            for singular in plural::forms(form).skip(1) {
                ways.extend(self.word_of(self.fields().prose, &singular)?);
            }
        }
        Ok(ways)
    }

    /// A term of a field, if it is there: one that is not would only cost time.
    fn word_of(&self, field: Field, word: &str) -> Result<Option<Box<dyn PeerQuery>>> {
        let term = Term::from_field_text(field, word);
        if self.index.searcher.doc_freq(&term)? == 0 {
            return Ok(None);
        }
        let has_freqs = field == self.fields().all || field == self.fields().prose;
        let option =
            if has_freqs { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        Ok(Some(Box::new(TermQuery::new(term, option))))
    }

    /// Words next to each other in one field.
    fn phrase(&self, phrase: &Phrase) -> Result<Queries> {
        if let [(_, word)] = phrase.words.as_slice() {
            return self.word(word);
        }
        let places: Vec<usize> =
            phrase.words.iter().map(|(at, _)| *at as usize * POSITION_STEP).collect();
        let as_written: Vec<Vec<String>> =
            phrase.words.iter().map(|(_, word)| word.forms.to_vec()).collect();
        let with_singulars: Vec<Vec<String>> = as_written
            .iter()
            .map(|forms| forms.iter().flat_map(|form| plural::forms(form)).collect())
            .collect();
        let mut ways = self.phrases_of(self.fields().all, &places, &as_written)?;
        if with_singulars != as_written {
            ways.extend(self.phrases_of(self.fields().prose, &places, &with_singulars)?);
        }
        Ok(ways)
    }

    /// One phrase for each choice of forms whose words are all in the field.
    fn phrases_of(
        &self,
        field: Field,
        places: &[usize],
        choices: &[Vec<String>],
    ) -> Result<Queries> {
        let mut phrases: Vec<Vec<(usize, Term)>> = vec![Vec::new()];
        for (place, forms) in places.iter().zip(choices) {
            let mut longer = Vec::new();
            for form in forms {
                let term = Term::from_field_text(field, form);
                if self.index.searcher.doc_freq(&term)? == 0 {
                    continue;
                }
                for phrase in &phrases {
                    longer.push([phrase.as_slice(), &[(*place, term.clone())]].concat());
                }
            }
            phrases = longer;
        }
        let query = |phrase| Box::new(PhraseQuery::new_with_offset(phrase)) as Box<dyn PeerQuery>;
        Ok(phrases.into_iter().map(query).collect())
    }

    /// One query for each filter.
    fn filters(&self, query: &Query) -> Result<Queries> {
        let mut filters = Queries::new();
        if !query.industries.is_empty() {
            let mut ways = Queries::new();
            for key in query.industries.iter().flat_map(|value| fold_filter(value)) {
                ways.extend(self.word_of(self.fields().industry, &key)?);
            }
            filters.push(union(ways));
        }
        if !query.locations.is_empty() {
            let is_known =
                |key: &places::PlaceKey| self.snapshot.places().ord(key.as_str()).is_some();
            let mut ways = Queries::new();
            for value in &query.locations {
                if let PlaceFilter::Parts(parts) = places::parse(value, &is_known) {
                    ways.extend(self.combination(&parts.parts, &PlaceKind::ALL)?);
                }
            }
            filters.push(union(ways));
        }
        if query.employee_count_min.is_some() || query.employee_count_max.is_some() {
            let bound = |value: Option<u64>| match value {
                Some(value) => {
                    Bound::Included(Term::from_field_u64(self.fields().employees, value))
                }
                None => Bound::Unbounded,
            };
            filters.push(Box::new(RangeQuery::new(
                bound(query.employee_count_min),
                bound(query.employee_count_max),
            )));
        }
        Ok(filters)
    }

    /// The ways in which each part is a different one of `kinds`.
    fn combination(&self, parts: &[PlacePart], kinds: &[PlaceKind]) -> Result<Queries> {
        let Some((part, others)) = parts.split_first() else { return Ok(Queries::new()) };
        let mut ways = Queries::new();
        for &kind in kinds {
            let mut here = Queries::new();
            for key in part.meanings.iter().filter(|key| key.kind() == kind) {
                here.extend(self.word_of(self.fields().place, key.as_str())?);
            }
            if here.is_empty() {
                continue;
            }
            if others.is_empty() {
                ways.extend(here);
                continue;
            }
            let left: Vec<PlaceKind> =
                kinds.iter().copied().filter(|&other| other != kind).collect();
            let rest = self.combination(others, &left)?;
            if !rest.is_empty() {
                ways.push(Box::new(BooleanQuery::intersection(vec![union(here), union(rest)])));
            }
        }
        Ok(ways)
    }
}

/// Any of them.
fn union(mut queries: Queries) -> Box<dyn PeerQuery> {
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::new(
            queries.into_iter().map(|query| (Occur::Should, query)).collect(),
        )),
    }
}

/// Two plain neighbouring words written as one.
fn joined_forms(left: &Clause, right: &Clause) -> Vec<String> {
    let plain = |clause: &Clause| match &clause.term {
        TextTerm::Word(word) if !clause.is_quoted => word.forms.to_vec(),
        _ => Vec::new(),
    };
    let (left, right) = (plain(left), plain(right));
    left.iter().flat_map(|left| right.iter().map(move |right| format!("{left}{right}"))).collect()
}
