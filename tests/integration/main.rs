//! All integration tests, in one target: one link.

mod analysis;
mod build_crash;
mod collections;
mod given_files;
mod http_contract;
mod http_hostile;
mod http_lifecycle;
mod http_process;
mod oracle;
mod properties;
mod snapshot_damage;
mod support;
mod tidy;
mod tools_process;
