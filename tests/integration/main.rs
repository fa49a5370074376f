//! All integration tests, in one target: one link.

mod analysis;
mod bad_parquet;
mod bad_records;
mod build_crash;
mod collections;
mod documents;
mod facets;
mod forged_snapshots;
mod given_files;
mod http_contract;
mod http_hostile;
mod http_lifecycle;
mod http_process;
mod input_formats;
mod input_values;
mod operator;
mod oracle;
mod parquet_files;
mod properties;
mod snapshot_damage;
mod support;
mod table_shapes;
mod tidy;
mod tools_process;
mod tools_snapshots;
mod tools_surroundings;
