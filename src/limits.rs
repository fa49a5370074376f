//! The upper bounds of what the program takes in, each with its reason. Those of one part only
//! stand there.

/// Longest `q`, in characters (contract, section 2). Longer texts cost more than they can mean.
pub const QUERY_CHARS_MAX: usize = 512;

/// Most words in `q` (contract, section 2): each is an operand of the intersection.
pub const QUERY_WORDS_MAX: usize = 32;

/// Largest page (contract, section 2).
pub const PAGE_SIZE_MAX: u32 = 100;

/// Page size when `limit` is absent (contract, section 2).
pub const PAGE_SIZE_DEFAULT: u32 = 20;

/// Most businesses that are asked for by their ids at once (contract, section 9).
pub const IDS_MAX: usize = 100;

/// Most values of a facet in one answer (contract, section 9).
pub const FACET_VALUES_MAX: u64 = 1000;

/// Values of a facet when `limit` is absent (contract, section 9).
pub const FACET_VALUES_DEFAULT: u64 = 20;

/// Longest `prefix` of values of a facet, in characters: that of a `q`.
pub const PREFIX_CHARS_MAX: usize = QUERY_CHARS_MAX;

/// Largest employee count and bound: what a signed 64-bit column of any other system can hold.
pub const EMPLOYEE_COUNT_MAX: u64 = i64::MAX as u64;

/// Founding years (contract, section 1).
pub const FOUNDED_YEAR_RANGE: std::ops::RangeInclusive<u64> = 1..=9999;

/// Most parts of a compound word such as `AT&T`; a longer chain is a path or a table row, not a
/// word.
pub const COMPOUND_PARTS_MAX: usize = 8;

/// Longest joined form of a compound, in characters.
pub const COMPOUND_CHARS_MAX: usize = 64;

/// Longest record of an input file (a line, an element of an array, a row), in bytes. Real records
/// are below 16 KiB.
pub const RECORD_BYTES_MAX: usize = 1 << 20;

/// Longest text of one field of a record, in bytes.
pub const FIELD_BYTES_MAX: usize = 64 << 10;

/// Most aliases of a record, and most other websites (contract, section 1). Registers have a few
/// former and translated names of a company; hundreds are a mistake in the mapping.
pub const LIST_VALUES_MAX: usize = 64;

/// Deepest nesting accepted in an input record, unknown keys included.
pub const RECORD_DEPTH_MAX: usize = 32;

/// Most keys in one input record, unknown ones included.
pub const RECORD_KEYS_MAX: usize = 256;

/// Most columns of a table of text. Registers publish tables of more than three hundred.
pub const TABLE_COLUMNS_MAX: usize = 1024;

/// A compressed input may unpack to so many bytes whatever its size, and beyond them to so many
/// times its size. Records compress to a third or a tenth; what unpacks to a thousand times its
/// size was made to fill memory.
pub const UNPACKED_FREE_BYTES: u64 = 64 << 20;

/// See [`UNPACKED_FREE_BYTES`].
pub const UNPACKED_RATIO_MAX: u64 = 200;

/// Largest window of zstd input, as a power of two: 128 MiB, what the format recommends decoders to
/// accept.
pub const ZSTD_WINDOW_LOG_MAX: u32 = 27;

/// Largest page of a Parquet file, unpacked, in bytes. Common writers make pages of 1 MiB, DuckDB
/// up to 100 MB.
pub const PARQUET_PAGE_BYTES_MAX: u64 = 128 << 20;

/// Largest footer of a Parquet file, in bytes. A thousand row groups of ten columns take about 1
/// MiB.
pub const PARQUET_FOOTER_BYTES_MAX: u64 = 64 << 20;

/// Most businesses in one snapshot: a `DocId` has 31 bits, since dictionaries use the 32nd as a
/// mark.
pub const DOCS_MAX: u32 = (1 << 31) - 1;

const _: () = assert!(PAGE_SIZE_DEFAULT <= PAGE_SIZE_MAX);
const _: () = assert!(FIELD_BYTES_MAX <= RECORD_BYTES_MAX);
