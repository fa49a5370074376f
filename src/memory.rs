//! What the system tells of the memory that this process takes: Linux, by `/proc/self/status`;
//! nothing elsewhere.
//!
//! All in bytes. See the manual page `proc_pid_status(5)`.

/// The most memory that the process ever took, pages of mapped files that were in it included.
pub fn peak() -> Option<u64> {
    field("VmHWM:")
}

/// What pages of mapped files take now; the system may take it back at any time.
pub fn of_files() -> Option<u64> {
    field("RssFile:")
}

fn field(name: &str) -> Option<u64> {
    value(&std::fs::read_to_string("/proc/self/status").ok()?, name)
}

/// The field with this name among the lines of `status`.
fn value(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_in_bytes() {
        let status = "Name:\tfirmament\nVmHWM:\t  1048576 kB\nRssFile:\t\t8 kB\nThreads:\t2\n";
        assert_eq!(value(status, "VmHWM:"), Some(1 << 30));
        assert_eq!(value(status, "RssFile:"), Some(8 << 10));
        assert_eq!(value(status, "Threads:"), None);
        assert_eq!(value(status, "RssAnon:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_takes_less_than_its_peak() {
        // The program itself is a mapped file.
        let (files, peak) = (of_files().unwrap(), peak().unwrap());
        assert!(0 < files && files <= peak, "{files} {peak}");
    }
}
