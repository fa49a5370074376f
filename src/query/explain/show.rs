//! The text of an explanation: compact, aligned, at most 100 columns.

use super::{
    ClauseExplanation, ClauseKind, Explanation, Held, How, PlanNode, Reading, ResultExplanation,
    Standing,
};
use crate::query::request::{SortKey, SortOrder};
use crate::ranking::Level;
use std::fmt::{self, Display, Formatter};

/// Columns of a line.
const WIDTH: usize = 100;

/// Columns of a plan's operations, before their numbers.
const PLAN_WIDTH: usize = 76;

/// Columns of a clause before what is said of it.
const CLAUSE_WIDTH: usize = 32;

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", cut(&format!("q: {}", self.q), WIDTH).trim_end())?;
        writeln!(f, "  {}", self.reading)?;
        self.clauses.iter().try_for_each(|clause| clause.fmt(f))?;
        for (title, texts) in [("optional", &self.legal_forms), ("excluded", &self.excluded)] {
            for text in texts {
                writeln!(f, "{}", cut(&format!("  {title:8}  {text}"), WIDTH))?;
            }
        }
        for (title, text) in [("corrected", &self.corrected), ("place", &self.place)] {
            if let Some(text) = text {
                writeln!(f, "{}", cut(&format!("  {title:9} {text}"), WIDTH))?;
            }
        }
        let (head, most, exact) = ("plan", "at most", "exactly");
        writeln!(f, "\n{head:PLAN_WIDTH$} {most:>11} {exact:>11}")?;
        show_node(f, &self.plan, 1)?;
        let (sort, order) = self.sort;
        writeln!(f, "\nfound by: {}", self.ways)?;
        writeln!(f, "\nresults: {} of {}, {}", self.results.len(), self.total, by(sort, order))?;
        let texts: Vec<&str> = self.clauses.iter().map(|clause| clause.text.as_str()).collect();
        self.results.iter().try_for_each(|result| show_result(f, result, &texts, self))
    }
}

impl Display for Reading {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reading::Blank => "no q: everything matches",
            Reading::Wordless => "no word in it: nothing matches",
            Reading::WholeId => "the id of a business: nothing else counts",
            Reading::OnlyPlace => "a place: everything there matches",
            Reading::OnlyExclusions => "only exclusions: everything else matches",
            Reading::AllClauses => "all of these must match",
            Reading::AnyClause => "relaxed: nothing matches all of these, so any counts",
        })
    }
}

impl Display for ClauseExplanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (quote, star) =
            (if self.is_quoted { "\"" } else { "" }, if self.is_starred { "*" } else { "" });
        let head = format!("  {:8}  {quote}{}{quote}{star}", self.kind.to_string(), self.text);
        let mut notes = vec![match self.businesses {
            Some(1) => "1 business".to_owned(),
            Some(count) => format!("{count} businesses"),
            None => "very many businesses".to_owned(),
        }];
        let is_new = |looked_up: &String| looked_up.trim_matches('"') != self.text;
        if self.looked_up.iter().any(is_new) {
            notes.push(format!("looked up {}", self.looked_up.join(", ")));
        }
        if let Some(reach) = &self.prefix {
            let (words, names, hosts) = (reach.words, reach.names, reach.hosts);
            notes.push(match words {
                0 => "as a prefix: nothing".to_owned(),
                _ => {
                    let aliases = match reach.aliases {
                        0 => String::new(),
                        count => format!(", aliases {count}"),
                    };
                    format!("as a prefix: words {words}, names {names}, hosts {hosts}{aliases}")
                }
            });
        }
        if !self.with_neighbours.is_empty() {
            notes.push(format!("with a neighbour {}", self.with_neighbours.join(", ")));
        }
        if !self.readings.is_empty() {
            notes.push(format!("read as {}", self.readings.join(", ")));
        }
        if let Some(split) = &self.split {
            notes.push(format!("read as {split}"));
        }
        write_wrapped(f, &head, CLAUSE_WIDTH, &notes.join("; "))
    }
}

impl Display for ClauseKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClauseKind::Word => "word",
            ClauseKind::Compound => "compound",
            ClauseKind::Phrase => "phrase",
            ClauseKind::Run => "run",
            ClauseKind::Host => "host",
        })
    }
}

fn show_node(f: &mut Formatter<'_>, node: &PlanNode, depth: usize) -> fmt::Result {
    let what = cut(&format!("{}{}", "  ".repeat(depth), node.what), PLAN_WIDTH);
    let exact = node.cardinality.map_or("-".to_owned(), |count| count.to_string());
    writeln!(f, "{what:PLAN_WIDTH$} {:>11} {exact:>11}", node.cardinality_max)?;
    node.parts.iter().try_for_each(|part| show_node(f, part, depth + 1))
}

fn by(sort: SortKey, order: SortOrder) -> &'static str {
    match (sort, order) {
        (SortKey::Relevance, SortOrder::Desc) => "by relevance",
        (SortKey::Relevance, SortOrder::Asc) => "by relevance, the worst first",
        (SortKey::Name, SortOrder::Asc) => "by name",
        (SortKey::Name, SortOrder::Desc) => "by name, descending",
        (SortKey::EmployeeCount, SortOrder::Desc) => "by employees, most first",
        (SortKey::EmployeeCount, SortOrder::Asc) => "by employees, fewest first",
        (SortKey::FoundedYear, SortOrder::Desc) => "by year, youngest first",
        (SortKey::FoundedYear, SortOrder::Asc) => "by year, oldest first",
    }
}

fn show_result(
    f: &mut Formatter<'_>,
    result: &ResultExplanation,
    texts: &[&str],
    explanation: &Explanation,
) -> fmt::Result {
    let ResultExplanation { rank, id, name, standing, score, held } = result;
    writeln!(f, "{}", cut(&format!("{rank:>3}  {id}  {name}"), WIDTH))?;
    if *standing == Standing::Unranked {
        return Ok(());
    }
    writeln!(f, "     {standing}; text score {}", score.sum())?;
    for ((text, impact), held) in texts.iter().zip(&score.clauses).zip(held) {
        let fields = match held.as_slice() {
            [] => "not held".to_owned(),
            held => held.iter().map(Held::to_string).collect::<Vec<_>>().join(", "),
        };
        write_wrapped(f, &format!("{impact:>8}  {}", cut(text, 20)), CLAUSE_WIDTH, &fields)?;
    }
    for (text, impact) in explanation.legal_forms.iter().zip(&score.legal_forms) {
        let fields = if *impact > 0 { "name" } else { "not held" };
        let head = format!("{impact:>8}  {}", cut(text, 20));
        write_wrapped(f, &head, CLAUSE_WIDTH, fields)?;
    }
    Ok(())
}

impl Display for Standing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Standing::Unranked => f.write_str("not ranked"),
            Standing::Ranked(level) => write!(f, "{level}"),
            Standing::Relaxed(shares) => write!(
                f,
                "{:.1} % of q, {:.1} % of the name, times {:.1}: {}",
                shares.of_query * 100.0,
                shares.of_name * 100.0,
                shares.boost,
                shares.score()
            ),
        }
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::IdOrHost => "q is its id or host",
            Level::NameIs => "the name is q",
            Level::AliasIs => "an alias is q",
            Level::NameStarts => "the name starts with q",
            Level::NameHasAll => "all words in the name",
            Level::NameHasAllByPrefix => "all words in the name, by a prefix",
            Level::PhraseElsewhere => "q as a phrase in another field",
            Level::PhraseInHostByPrefix => "q as a phrase in another field, by a prefix",
            Level::NameHasSome => "some words in the name",
            Level::NameHasSomeByPrefix => "some words in the name, by a prefix",
            Level::Elsewhere => "no word in the name",
        })
    }
}

impl Display for Held {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let field = self.field.name();
        match &self.how {
            How::AsWritten => f.write_str(field),
            How::OnHost => write!(f, "{field} (is it)"),
            How::WithNeighbour(word) => write!(f, "{field} (together: {word})"),
            How::Reading(words) => write!(f, "{field} (as {words})"),
            How::Prefix => write!(f, "{field} (begins a word)"),
        }
    }
}

/// Writes `text` behind `head`, from column `start` on, in as many lines as it takes.
fn write_wrapped(f: &mut Formatter<'_>, head: &str, start: usize, text: &str) -> fmt::Result {
    let mut line = format!("{:1$}", cut(head, WIDTH), start - 1);
    for word in text.split(' ') {
        let word = cut(word, WIDTH - start);
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{}", line.trim_end())?;
            line = " ".repeat(start - 1);
        }
        line.push(' ');
        line.push_str(&word);
    }
    writeln!(f, "{}", line.trim_end())
}

/// The text in at most `width` characters, none of which moves the cursor.
fn cut(text: &str, width: usize) -> String {
    let text = text.replace(char::is_control, "\u{fffd}");
    if text.chars().count() <= width {
        return text;
    }
    text.chars().take(width - 1).chain(['…']).collect()
}
