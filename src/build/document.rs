//! The JSON of a business, rendered once.

use crate::company::Company;
use crate::snapshot::SnapshotError;
use crate::snapshot::documents::escaped_id;
use crate::snapshot::format::SectionKind;
use crate::snapshot::writer::SnapshotWriter;
use rayon::prelude::*;
use serde::Serialize;

/// A business as responses show it: all keys, in this order.
#[derive(Serialize)]
struct Document<'a> {
    id: &'a str,
    name: &'a str,
    website: Option<&'a str>,
    description: Option<&'a str>,
    industry: Option<&'a str>,
    employee_count: Option<u64>,
    location: Place<'a>,
    founded_year: Option<u16>,
}

#[derive(Serialize)]
struct Place<'a> {
    city: Option<&'a str>,
    state: Option<&'a str>,
    country: Option<&'a str>,
}

/// Appends the JSON of `company` to `out`.
pub fn render(company: &Company, out: &mut Vec<u8>) {
    let document = Document {
        id: &company.id,
        name: &company.name,
        website: company.website.as_deref(),
        description: company.description.as_deref(),
        industry: company.industry.as_deref(),
        employee_count: company.employee_count,
        location: Place {
            city: company.location.city.as_deref(),
            state: company.location.state.as_deref(),
            country: company.location.country.as_deref(),
        },
        founded_year: company.founded_year,
    };
    serde_json::to_writer(out, &document).expect("writing to memory does not fail");
}

/// Companies rendered together.
const BLOCK_DOCS: usize = 4096;

/// Writes the sections of documents.
///
/// # Errors
/// The file cannot be written.
pub fn write(companies: &[Company], writer: &mut SnapshotWriter) -> Result<(), SnapshotError> {
    let lens: Vec<usize> = companies
        .par_iter()
        .map_init(Vec::new, |out, company| {
            out.clear();
            render(company, out);
            out.len()
        })
        .collect();
    let mut offsets = Vec::with_capacity(companies.len() + 1);
    offsets.push(0u64);
    for len in lens {
        offsets.push(offsets[offsets.len() - 1] + len as u64);
    }
    writer.section(SectionKind::DocumentOffsets, bytemuck::cast_slice(&offsets))?;
    let mut section = writer.begin(SectionKind::Documents)?;
    // A few blocks at a time: rendered on all cores, written in order.
    for group in companies.chunks(BLOCK_DOCS * 16) {
        let blocks: Vec<Vec<u8>> = group
            .par_chunks(BLOCK_DOCS)
            .map(|block| {
                let mut out = Vec::new();
                block.iter().for_each(|company| render(company, &mut out));
                out
            })
            .collect();
        for block in blocks {
            section.write(&block)?;
        }
    }
    section.end()?;
    writer.section(SectionKind::IdOrder, bytemuck::cast_slice(&id_order(companies)))
}

/// `DocId`s by the bytes of their ids as they stand in JSON.
fn id_order(companies: &[Company]) -> Vec<u32> {
    let mut order: Vec<(Vec<u8>, u32)> = companies
        .par_iter()
        .enumerate()
        .map(|(doc, company)| {
            let mut json = b"{\"id\":".to_vec();
            serde_json::to_writer(&mut json, &company.id).expect("a text has a JSON form");
            (escaped_id(&json).to_vec(), doc as u32)
        })
        .collect();
    order.par_sort_unstable();
    order.into_iter().map(|(_, doc)| doc).collect()
}
