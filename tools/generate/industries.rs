//! Industry names: some 150 written out, the rest combined from a field and a trade, 400 in all.
//!
//! Fact reproduced: industries follow Zipf's law with exponent 0.9, independent of everything else.

use super::random::mix;

pub const INDUSTRY_EXPONENT: f64 = 0.9;
const INDUSTRY_COUNT: usize = 400;

/// Most frequent first, separated by bars.
const KNOWN: &str = "
Software Development|Information Technology & Services|Financial Services|Construction|
Hospitals & Health Care|Real Estate|Oil, Gas & Mining|Banking|Biotechnology|Retail|
Hotels, Restaurants & Leisure|Insurance|Machinery|Marketing & Advertising|Management Consulting|
Food & Beverages|Education|Professional Services|Semiconductors|Chemicals|
Transportation, Logistics & Storage|Automotive|Media & Entertainment|Pharmaceuticals|
Telecommunications|Asset Management|Electrical Equipment|Metals & Mining|Software - Application|
Medical Devices|E-Commerce|Textiles, Apparel & Luxury Goods|Utilities|Aerospace & Defense|
Legal Services|Accounting|Non-Profit Organizations|Human Resources Services|Farming|Wholesale|
Civil Engineering|Packaging & Containers|Consumer Goods|Renewable Energy|Architecture & Planning|
Design Services|Computer Hardware|Internet Publishing|Facilities Services|
Health, Wellness & Fitness|Specialty Retail|Events Services|Environmental Services|Banks - Regional|
Steel|Staffing & Recruiting|Security & Investigations|Venture Capital & Private Equity|
Computer Games|Travel & Tourism|Building Materials|Printing|Furniture, Fixtures & Appliances|
Industrial Automation|Paper & Forest Products|Diagnostics & Research|
Trading Companies & Distributors|Household & Personal Products|Airlines|Maritime|Investment Banking|
Research|Government Administration|Cosmetics|Sporting Goods|Wine & Spirits|Plastics|Publishing|
Property, Plant & Equipment Leasing|Gold|Auto Parts|Packaged Foods|Capital Markets|Credit Services|
Restaurants|Communication Equipment|Scientific & Technical Instruments|Waste Management|Lodging|
Agricultural Inputs|Solar|Farm & Heavy Construction Machinery|Staffing & Employment Services|
Pollution & Treatment Controls|Railroads|Electronics & Computer Distribution|Tools & Accessories|
Oil & Gas Refining & Marketing|Broadcasting|Luxury Goods|Beverages - Non-Alcoholic|
Insurance - Property & Casualty|Residential Construction|REIT - Retail|REIT - Office|
Rental & Leasing Services|Grocery Stores|Resorts & Casinos|Personal Services|Confectioners|Aluminum|
Mortgage Finance|Lumber & Wood Production|Gambling|Utilities - Regulated Water|Copper|
Beverages - Brewers|Trucking|Airports & Air Services|Uranium|Financial Data & Stock Exchanges|
Home Improvement Retail|Tobacco|Silver|Recreational Vehicles|Discount, Variety Stores|
Veterinary Services|Translation & Localization|Libraries|Museums & Historical Sites|Performing Arts|
Photography|Animation|Music|Dairy|Fishery|Ranching|Nanotechnology|Shipbuilding|
Glass, Ceramics & Concrete|Philanthropy|Fundraising|Think Tanks|Public Policy|Public Safety|
Judiciary|Law Enforcement|Warehousing|Import & Export|Package & Freight Delivery|Arts & Crafts|
Toys & Games|Alternative Medicine|Mental Health Care|Primary & Secondary Education|Higher Education|
E-Learning|Outsourcing & Offshoring|Market Research|Graphic Design
";
const FIELDS: [&str; 26] = [
    "Industrial",
    "Medical",
    "Digital",
    "Commercial",
    "Marine",
    "Agricultural",
    "Electronic",
    "Environmental",
    "Financial",
    "Consumer",
    "Residential",
    "Automotive",
    "Chemical",
    "Mobile",
    "Scientific",
    "Specialty",
    "Optical",
    "Mining",
    "Textile",
    "Railway",
    "Aviation",
    "Dental",
    "Food",
    "Energy",
    "Water",
    "Cloud",
];
const TRADES: [&str; 14] = [
    "Equipment",
    "Software",
    "Services",
    "Distribution",
    "Components",
    "Products & Supplies",
    "Machinery",
    "Engineering",
    "Analytics",
    "Repair & Maintenance",
    "Instruments",
    "Leasing",
    "Materials",
    "Sales, Rental & Leasing",
];

/// All names, most frequent first.
pub fn industry_names() -> Vec<String> {
    let mut names: Vec<String> = KNOWN
        .replace('\n', " ")
        .split('|')
        .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let mut combined: Vec<String> = FIELDS
        .iter()
        .flat_map(|field| TRADES.iter().map(move |trade| format!("{field} {trade}")))
        .collect();
    combined.retain(|name| !names.contains(name));
    // A fixed disorder, so that neither the field nor the trade goes with the frequency.
    combined
        .sort_by_key(|name| mix(name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))));
    names.append(&mut combined);
    names.truncate(INDUSTRY_COUNT);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_some_hold_commas() {
        let names = industry_names();
        assert_eq!(names.len(), INDUSTRY_COUNT);
        assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), INDUSTRY_COUNT);
        assert!(names.iter().all(|name| !name.is_empty() && !name.contains("  ")));
        assert!(names.iter().filter(|name| name.contains(',')).count() >= 8);
        assert!(names.iter().any(|name| name == "Oil, Gas & Mining"));
    }
}
