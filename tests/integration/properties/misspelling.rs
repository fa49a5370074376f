//! Words of `q` as people type them: misspelt, cut short, joined, split, and among words from
//! elsewhere.

use crate::collections::{Record, Rng, WORDS};

/// Fewest letters of a word that is corrected.
const LETTERS_MIN: usize = 5;

/// Letters of a word that is corrected by two edits.
const LETTERS_FOR_TWO: usize = 7;

/// Does something to the pieces of a `q` that were taken from a record.
pub fn disturb(rng: &mut Rng, pieces: &mut Vec<String>, records: &[Record]) {
    let at = rng.below(pieces.len());
    match rng.below(20) {
        0..4 => misspell_some(rng, pieces, 1),
        4 => misspell_some(rng, pieces, 2),
        5 => misspell_some(rng, pieces, 3),
        6..10 => cut(rng, pieces.last_mut().expect("some piece")),
        10..12 => {
            cut(rng, &mut pieces[at]);
            pieces[at].push('*');
        }
        12..14 => join(rng, pieces),
        14..16 => split(rng, pieces, at),
        16 => {
            split(rng, pieces, at);
            misspell_some(rng, pieces, 1);
        }
        17 => {
            join(rng, pieces);
            misspell_some(rng, pieces, 1);
        }
        18 => {
            let name = &rng.pick(records).company.name;
            let words: Vec<&str> = name.split(' ').collect();
            pieces.insert(at, (*rng.pick(&words)).to_owned());
        }
        _ => {
            let word = if rng.chance(50) { "zzgrx" } else { *rng.pick(&WORDS) };
            pieces.insert(at, word.to_owned());
            misspell_some(rng, pieces, 1);
        }
    }
}

/// Misspells up to `most` of the pieces that are long enough.
fn misspell_some(rng: &mut Rng, pieces: &mut [String], most: usize) {
    let mut places: Vec<usize> =
        (0..pieces.len()).filter(|&at| pieces[at].chars().count() >= LETTERS_MIN).collect();
    rng.shuffle(&mut places);
    for at in places.into_iter().take(most) {
        pieces[at] = misspelt(rng, &pieces[at]);
    }
}

/// A word with one wrong letter, or two if it is long.
fn misspelt(rng: &mut Rng, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let is_long = letters.len() >= LETTERS_FOR_TWO;
    let edits = if is_long && rng.chance(40) || rng.chance(5) { 2 } else { 1 };
    for _ in 0..edits {
        edit(rng, &mut letters);
    }
    letters.into_iter().collect()
}

/// Drops, inserts, replaces a letter or swaps two; the first one seldom.
fn edit(rng: &mut Rng, letters: &mut Vec<char>) {
    let first = usize::from(rng.chance(95));
    let at = rng.within(first, letters.len() - 1);
    let other = *rng.pick(&['a', 'e', 'n', 's', 'x', 'я', letters[letters.len() - 1]]);
    match rng.below(4) {
        0 if letters.len() > 2 => drop(letters.remove(at)),
        1 => letters.insert(rng.within(at, letters.len()), other),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters[at] = other,
    }
}

/// Leaves out the end of a word, and what joins its parts now and then.
pub fn cut(rng: &mut Rng, word: &mut String) {
    let letters: Vec<char> = match rng.chance(50) {
        true => word.chars().collect(),
        false => word.chars().filter(|c| c.is_alphanumeric()).collect(),
    };
    let kept = rng.within(2.min(letters.len()), letters.len());
    *word = letters[..kept].iter().collect();
}

/// Leaves out the space between two pieces.
fn join(rng: &mut Rng, pieces: &mut Vec<String>) {
    if pieces.len() > 1 {
        let at = rng.within(1, pieces.len() - 1);
        let right = pieces.remove(at);
        pieces[at - 1].push_str(&right);
    }
}

/// Puts a space into a piece: where its upper case begins, or anywhere.
fn split(rng: &mut Rng, pieces: &mut Vec<String>, at: usize) {
    let letters: Vec<char> = pieces[at].chars().collect();
    if letters.len() < 2 {
        return;
    }
    let capital = (1..letters.len()).find(|&place| letters[place].is_uppercase());
    let place = match capital {
        Some(place) if rng.chance(70) => place,
        _ => rng.within(1, letters.len() - 1),
    };
    pieces[at] = letters[..place].iter().collect();
    pieces.insert(at + 1, letters[place..].iter().collect());
}
