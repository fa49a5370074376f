//! Hits taken apart by how many of the legal forms at the end of `q` their name carries.
//!
//! Each adds more to a text score than one word may weigh, so that whoever carries more comes first, and mostly fills the
//! page: nobody else is scored.

use super::plan::Plan;
use super::score::LEGAL_FORM;

/// Most legal forms whose businesses are taken apart.
pub const FORMS_MAX: usize = 2;

/// Those who carry as many of the forms.
pub struct Part<'s> {
    /// Who they are.
    pub members: Plan<'s>,
    /// What their forms add to what words weigh.
    pub base: u32,
}

/// The parts of `members` in the order of a walk, from the one on in which the score lies that it begins with; of at most
/// [`FORMS_MAX`] forms, whose businesses are given.
pub fn parts<'s>(
    members: &Plan<'s>,
    forms: &[Plan<'s>],
    is_best_first: bool,
    start: Option<u32>,
) -> Vec<Part<'s>> {
    let within =
        |forms: Vec<Plan<'s>>| Plan::intersection(std::iter::once(members.clone()).chain(forms));
    let part = |members, forms: u32| Part { members, base: forms * LEGAL_FORM };
    let any = Plan::union(forms.iter().cloned());
    let mut parts = match forms {
        [] => return vec![part(members.clone(), 0)],
        [form] => vec![part(within(vec![form.clone()]), 1)],
        forms => {
            let all = Plan::intersection(forms.iter().cloned());
            let one = Plan::difference(within(vec![any.clone()]), all.clone());
            vec![part(within(vec![all]), 2), part(one, 1)]
        }
    };
    parts.push(part(Plan::difference(members.clone(), any), 0));
    if !is_best_first {
        parts.reverse();
    }
    if let Some(start) = start {
        let is_ahead = |part: &Part<'_>| {
            let (forms, here) = (part.base / LEGAL_FORM, start / LEGAL_FORM);
            if is_best_first { forms <= here } else { forms >= here }
        };
        parts.retain(is_ahead);
    }
    parts
}
