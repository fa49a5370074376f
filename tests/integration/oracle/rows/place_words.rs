//! Examples of texts that name a place: contract, section 3, "Place words".

use super::Group;

/// The table.
pub const GROUPS: &[Group] = &[
    Group {
        about: "words that name a place",
        sort: "name",
        records: &[
            "a | Alba Ferries | i=Shipping | c=Oslo | k=Norway",
            "b | Brandt Ferries | i=Shipping | c=Kiel | k=DE",
            "c | Corin Cheese | d=ferries of milk | c=Bern | k=Switzerland | e=9",
            "d | Dune Tools | c=St. Louis | s=MO | k=US",
            "e | Eider Tools | c=New York | s=NY | k=US | e=7",
            "f | Fjord Books | c=Ulm | k=Germany",
            "g | Gull | d=oslo | c=Austin | s=TX | k=US",
        ],
        rows: &[
            ("q=ferries oslo", "a ; place=oslo"),
            ("q=Ferries in Norway", "a ; place=Norway"),
            ("q=ferries germany", "b ; place=germany"),
            ("q=ferries deutschland", "b ; place=deutschland"),
            ("q=in germany ferries", "b ; place=germany"),
            ("q=Kiel ferries", "b ; place=Kiel"),
            ("q=ferries in kiel, germany", "b ; place=kiel, germany"),
            ("q=kiel ferries germany", "a b c ; relaxed"),
            ("q=tools st. louis", "d ; place=st. louis"),
            ("q=tools in saint louis", "d ; place=saint louis"),
            ("q=tools new york", "e ; place=new york"),
            ("q=tools New York NY", "d e ; relaxed"),
            // All of it.
            ("q=germany", "b f ; place=germany"),
            ("q=in switzerland", "c ; place=switzerland"),
            // Text comes first, wherever it is from.
            ("q=gull oslo", "g"),
            ("q=oslo", "g"),
            // Codes, two letters, quotes, stars, hosts and exclusions are no names.
            ("q=ferries de", "a b c ; relaxed"),
            ("q=tools mo", "d e ; relaxed"),
            ("q=ferries \"norway\"", ""),
            ("q=ferries norwa*", "a b c ; relaxed"),
            ("q=new -york tools", "d e ; relaxed"),
            // With what was misspelt, and beside the filters of the request.
            ("q=feries germany", "b ; corrected=ferries germany ; place=germany"),
            ("q=tools germany", "d e ; relaxed"),
            ("q=tools united states ; min=7", "e ; place=united states"),
            ("q=tools united states ; location=NY", "e ; place=united states"),
            ("q=tools united states ; location=Texas", "place=united states"),
            ("q=tools united states -eider", "d ; place=united states"),
            ("q=ferries oslo ; industry=Cheese", "place=oslo"),
        ],
    },
    Group {
        about: "the longest run of words that name a place, of equal ones the last",
        sort: "name",
        records: &[
            "a | Alba Works | c=York | k=UK",
            "b | Brandt Works | c=New York | s=NY | k=US",
            "c | Corin Works | c=Paris | k=FR",
            "d | Dune Works | c=Washington, D.C. | k=US",
        ],
        rows: &[
            ("q=works york", "a ; place=york"),
            ("q=works new york", "b ; place=new york"),
            ("q=york works paris", "a b c d ; relaxed"),
            ("q=alba york paris", "a ; relaxed"),
            ("q=works paris france", "c ; place=paris france"),
            ("q=works paris germany", "a b c d ; relaxed"),
            ("q=works in washington, d.c.", "d ; place=washington, d.c"),
            ("q=corin paris works", "c ; place=paris"),
        ],
    },
];
