//! What can be asked of the service: one row a path.

use super::params::Param;

/// The beginning of the path of one business.
const BUSINESS: &str = "/v1/businesses/";

/// A request by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation<'p> {
    /// Pages of businesses.
    Search,
    /// One business, by its id as it stands in the path.
    Business(&'p str),
    /// Several businesses, by their ids.
    Businesses,
    /// Values, and how many businesses have each.
    Facets,
    /// What the service serves.
    About,
}

impl Operation<'_> {
    /// All of them, each once.
    pub(super) const ALL: [Operation<'static>; 5] = [
        Operation::Search,
        Operation::Businesses,
        Operation::Business("{id}"),
        Operation::Facets,
        Operation::About,
    ];

    /// The operation at a path.
    pub(super) fn at(path: &str) -> Option<Operation<'_>> {
        if let Some(id) = path.strip_prefix(BUSINESS) {
            return (!id.is_empty() && !id.contains('/')).then_some(Operation::Business(id));
        }
        Operation::ALL.into_iter().find(|operation| operation.path() == path)
    }

    /// Its path, as documents name it.
    pub(super) fn path(self) -> &'static str {
        match self {
            Operation::Search => "/v1/search",
            Operation::Business(_) => "/v1/businesses/{id}",
            Operation::Businesses => "/v1/businesses",
            Operation::Facets => "/v1/facets",
            Operation::About => "/v1/about",
        }
    }

    /// The parameters that it takes, in the order in which faults are reported, but for the cursor,
    /// which is last.
    pub(super) fn params(self) -> &'static [Param] {
        match self {
            Operation::Search => &[
                Param::Q,
                Param::Limit,
                Param::Cursor,
                Param::Sort,
                Param::Order,
                Param::Industry,
                Param::Location,
                Param::MinEmployees,
                Param::MaxEmployees,
                Param::MinFoundedYear,
                Param::MaxFoundedYear,
                Param::ExcludeIndustry,
                Param::ExcludeLocation,
                Param::Fields,
            ],
            Operation::Facets => &[
                Param::Q,
                Param::Industry,
                Param::Location,
                Param::MinEmployees,
                Param::MaxEmployees,
                Param::MinFoundedYear,
                Param::MaxFoundedYear,
                Param::ExcludeIndustry,
                Param::ExcludeLocation,
                Param::Facet,
                Param::Prefix,
                Param::FacetLimit,
            ],
            Operation::Business(_) => &[Param::Fields],
            Operation::Businesses => &[Param::Id, Param::Fields],
            Operation::About => &[],
        }
    }

    /// A request of its kind, to copy.
    pub(super) fn example(self) -> &'static str {
        match self {
            Operation::Search => "/v1/search?q=apple&limit=5",
            Operation::Business(_) => "/v1/businesses/ID?fields=id,name",
            Operation::Businesses => "/v1/businesses?id=ID&id=ID",
            Operation::Facets => "/v1/facets?q=apple&facet=industry",
            Operation::About => "/v1/about",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_leads_to_its_operation() {
        for operation in Operation::ALL {
            assert_eq!(Operation::at(operation.path()), Some(operation));
        }
        for path in ["", "/", "/v1", "/v1/search/", "/v1/businesses/", "/v1/businesses/a/b"] {
            assert_eq!(Operation::at(path), None, "{path}");
        }
    }
}
