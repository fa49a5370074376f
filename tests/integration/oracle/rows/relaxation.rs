//! Examples of texts that nothing matches as a whole: contract, section 3, "Relaxation".

use super::Group;

/// The table.
pub const GROUPS: &[Group] = &[Group {
    about: "any word will do",
    sort: "name",
    records: &[
        "a | Red Fox",
        "b | Blue Whale | e=5",
        "c | Inc Turtle",
        "d | Grey Wolf | d=a quiet whale",
        "e | Foo GmbH",
        "f | PayPal",
        "g | 東京 Press",
        "h | Zed | w=zed.com",
    ],
    rows: &[
        ("q=red whale", "b d a ; relaxed"),
        ("q=red whale ; sort=employee_count", "b d a ; relaxed"),
        ("q=red whale xyz", "b d a ; relaxed"),
        ("q=xyz qqq", ""),
        // Filters and exclusions apply, but never cause it.
        ("q=red whale ; min=1", "b ; relaxed"),
        ("q=red whale ; min=6", "relaxed"),
        ("q=red whale ; industry=Oil", "relaxed"),
        ("q=red fox ; min=1", ""),
        ("q=red whale -blue", "d a ; relaxed"),
        ("q=red whale -red -whale", "relaxed"),
        ("q=red fox -red", ""),
        // Phrases stay required, and do not count as the one word that must match.
        ("q=\"red whale\"", ""),
        ("q=\"red\" \"whale\"", ""),
        ("q=\"red\" whale", ""),
        ("q=\"red\" whale fox", "a ; relaxed"),
        ("q=whale fox \"grey\"", "d ; relaxed"),
        ("q=whale fox \"xyz\"", ""),
        // Legal forms do not count either.
        ("q=inc whale", "b d ; relaxed"),
        ("q=inc xyz", ""),
        ("q=whale xyz gmbh", "b d ; relaxed"),
        ("q=gmbh ag", ""),
        // With prefixes, neighbours, readings, compounds, runs and hosts.
        ("q=fox wha", "b a ; relaxed"),
        ("q=pay pal fox", "f a ; relaxed"),
        ("q=foxs* turtel", "c ; corrected=foxs* turtle ; relaxed"),
        ("q=pay-pal fox", "f a ; relaxed"),
        ("q=東京 fox", "a g ; relaxed"),
        ("q=大阪 fox", "a ; relaxed"),
        ("q=zed.com fox", "a h ; relaxed"),
    ],
}];
