//! The rooms of the sources, and the arrows between them.

use super::{files, source_root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};

/// A folder of `src` with the rooms in it by floor, lowest first. A room names only rooms of lower
/// floors, and its own. The last entry of the folder is the file beside it, which presents the
/// rooms to those outside.
struct House {
    folder: &'static str,
    floors: &'static [&'static [&'static str]],
}

const HOUSES: [House; 3] = [
    House {
        folder: "",
        floors: &[
            &["ids", "limits", "bytes", "memory", "simd"],
            &["analyzer"],
            &["company", "places", "industries", "auth"],
            &["ranking"],
            &["snapshot"],
            &["query", "index"],
            &["facets"],
            &["render"],
            &["http"],
            &["demo"],
        ],
    },
    House {
        folder: "snapshot",
        floors: &[&["file"], &["encoding"], &["columns"], &["terms"], &["answers"], &["snapshot"]],
    },
    House {
        folder: "query",
        floors: &[
            &["text", "cursor", "sets"],
            &["request", "phrase"],
            &["session"],
            &["interpret"],
            &["score"],
            &["strategy"],
            &["page"],
            &["explain", "query"],
        ],
    },
];

/// The paths into this crate that the code of a file names, from the root of the crate.
struct PathsOf {
    /// The module that the code stands in, from the root of the crate.
    module: Vec<String>,
    found: BTreeSet<Vec<String>>,
}

impl PathsOf {
    fn add(&mut self, segments: Vec<String>) {
        let Some(first) = segments.first() else { return };
        let supers = segments.iter().take_while(|segment| *segment == "super").count();
        let absolute: Vec<String> = match first.as_str() {
            "crate" | "firmament" => segments[1..].to_vec(),
            "self" => self.module.iter().chain(&segments[1..]).cloned().collect(),
            "super" if supers <= self.module.len() => {
                let above = &self.module[..self.module.len() - supers];
                above.iter().chain(&segments[supers..]).cloned().collect()
            }
            _ => return,
        };
        self.found.insert(absolute);
    }

    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.add(with(&name.ident)),
            syn::UseTree::Rename(name) => self.add(with(&name.ident)),
            syn::UseTree::Glob(_) => self.add(before.to_vec()),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.add_tree(before, item));
            }
        }
    }
}

/// Is it compiled for tests only? These may build a snapshot to look at.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test")
    })
}

impl<'ast> Visit<'ast> for PathsOf {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    /// Who may use an item is no arrow.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }
}

/// The module of a source file, from the root of the crate.
fn module_of(path: &Path) -> Vec<String> {
    let below = path.strip_prefix(source_root()).unwrap().with_extension("");
    let parts = below.iter().map(|part| part.to_str().unwrap().to_owned());
    parts.filter(|part| part != "lib").collect()
}

/// The modules of the crate, each with the paths into the crate that it names.
fn modules() -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let sources = files("src")
        .into_iter()
        .filter(|(path, _)| !path.ends_with("tests.rs") && !path.ends_with("main.rs"));
    sources
        .map(|(path, text)| {
            let mut paths = PathsOf { module: module_of(&path), found: BTreeSet::new() };
            paths.visit_file(&syn::parse_file(&text).unwrap());
            (module_of(&path), paths.found)
        })
        .collect()
}

impl House {
    /// The path of its folder, from the root of the crate.
    fn path(&self) -> Vec<String> {
        self.folder.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// The room that a path leads to, and its floor; none if it leads out of the house.
    fn room(&self, path: &[String]) -> Option<(String, usize)> {
        let house = self.path();
        let first = path.strip_prefix(house.as_slice())?.first();
        // What the file beside the folder holds itself, or hands on, is in that file.
        first.into_iter().chain(house.last()).find_map(|name| {
            let floor = self.floors.iter().position(|rooms| rooms.contains(&name.as_str()))?;
            Some((name.clone(), floor))
        })
    }
}

#[test]
fn arrows_point_downwards() {
    let modules = modules();
    for house in HOUSES {
        for (module, paths) in &modules {
            let Some((room, floor)) = house.room(module) else { continue };
            for path in paths {
                let Some((named, other)) = house.room(path) else { continue };
                let is_below = other < floor || named == room;
                assert!(is_below, "{} names {}", module.join("::"), path.join("::"));
            }
        }
    }
}

#[test]
fn every_room_has_a_floor() {
    let modules = modules();
    for house in HOUSES {
        let below = modules.keys().filter(|module| module.starts_with(&house.path()));
        for module in below.filter(|module| module.len() == house.path().len() + 1) {
            assert!(house.room(module).is_some(), "{}: on which floor?", module.join("::"));
        }
    }
}
