//! API keys and their quotas.
//!
//! A caller proves who it is with an API key; the server knows keys only by their hash. In: the
//! key file that `firmament-tools keys` writes, and the bytes of an `X-API-Key` header. Out: the
//! [`LiveKey`] those bytes name, with its quota. This module knows neither HTTP nor threads of its
//! own: the server re-reads the file and hands the new [`KeyTable`] to its workers.
//!
//! - [`ApiKey`]: the format of a key, its generator, its check characters and its hash.
//! - [`KeyFile`]: the file, entry by entry; validated when read, replaced as a whole when written.
//! - [`KeyTable`]: the file made ready for look-ups; quotas outlive a reload.
//! - [`Quota`]: rate and burst, the generic cell rate algorithm (GCRA) in one atomic word.
//!
//! Errors: [`KeyFileError`], which names the line or entry and says how to mend it, and never
//! contains key material.

mod key;
mod key_file;
mod quota;
mod table;

pub use key::{ApiKey, KEY_PREFIX, KeyHash};
pub use key_file::{Expiry, KeyEntry, KeyFile, KeyFileError, is_exposed};
pub use quota::{Quota, QuotaRule, QuotaRuleError, QuotaStatus};
pub use table::{KeyTable, LiveKey};
