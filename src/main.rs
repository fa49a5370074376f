//! The server's command line: arguments, allocator, exit codes.
//!
//! Exit codes: 0 done, 1 failure, 2 usage (arguments, or a key file that cannot be used), 5 a
//! snapshot that is being served was changed in place.
//! Standard output carries what a person or a script asked for; everything else goes to standard
//! error.

use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand};
use firmament::http;
use firmament::http::{Origins, PageOption, ServeError, ServerConfig};

// Connections come and go with buffers of many sizes; mimalloc gives their memory back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A read-only search server over business records
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  firmament demo
      Serve a small sample and print a request to try
  firmament-tools keys new acme --keys keys.json
  firmament serve businesses.firmament --keys keys.json
      Serve a snapshot on 127.0.0.1:8080, probes and metrics on 127.0.0.1:9090
  kill -HUP PID, or: curl -X POST http://127.0.0.1:9090/-/reload
      Open the snapshot file again without dropping a request

Every flag can be given as an environment variable; a flag wins.
Exit codes: 0 done, 1 failure, 2 usage, 5 a snapshot in use was changed in place.";

#[derive(Subcommand)]
enum Command {
    /// Serve a snapshot until SIGTERM or SIGINT
    #[command(after_help = EXAMPLES)]
    Serve(ServeArguments),
    /// Serve a small sample with a well-known key, to try things out
    #[cfg(feature = "builder")]
    #[command(after_help = "Example:
  firmament demo --listen 127.0.0.1:8181")]
    Demo {
        /// Where to serve searches
        #[arg(
            long,
            value_name = "ADDRESS",
            env = "FIRMAMENT_LISTEN",
            default_value = "127.0.0.1:8080",
            value_parser = address
        )]
        listen: SocketAddr,
    },
    /// Print the OpenAPI document of the service
    #[command(after_help = "Example:
  firmament openapi > openapi.json")]
    Openapi,
    /// Print completions for a shell
    #[cfg(feature = "builder")]
    #[command(after_help = "Example:
  firmament completions bash > /etc/bash_completion.d/firmament")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of this program, or of one of its commands
    #[cfg(feature = "builder")]
    #[command(after_help = "Examples:
  firmament man | man -l -
  firmament man serve | man -l -")]
    Man {
        /// The command
        #[arg(value_parser = ["serve", "demo"])]
        command: Option<String>,
    },
}

#[derive(Args)]
struct ServeArguments {
    /// The snapshot file; SIGHUP opens the same path again
    #[arg(env = "FIRMAMENT_SNAPSHOT")]
    snapshot: PathBuf,
    /// The key file, as `firmament-tools keys` writes it; changes count within two seconds
    #[arg(long, value_name = "FILE", env = "FIRMAMENT_KEYS")]
    keys: PathBuf,
    /// Where to serve searches
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "FIRMAMENT_LISTEN",
        default_value = "127.0.0.1:8080",
        value_parser = address
    )]
    listen: SocketAddr,
    /// Where to serve probes, metrics and reload, without a key; `off` for nowhere
    #[arg(long, value_name = "ADDRESS", env = "FIRMAMENT_ADMIN", default_value = "127.0.0.1:9090")]
    admin: AdminAddress,
    /// Threads that serve searches [default: one per core]
    #[arg(long, value_name = "N", env = "FIRMAMENT_WORKERS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// Open connections beyond which requests are answered 503; twice as many are closed at once
    #[arg(long, value_name = "N", env = "FIRMAMENT_MAX_CONNECTIONS", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    max_connections: u32,
    /// Earlier snapshots that stay open, so that walks through pages can finish
    #[arg(long, value_name = "N", env = "FIRMAMENT_KEEP_SNAPSHOTS", default_value_t = 2)]
    keep_snapshots: u16,
    /// Minutes that they stay open
    #[arg(long, value_name = "M", env = "FIRMAMENT_KEEP_MINUTES", default_value_t = 60)]
    keep_minutes: u32,
    /// Most postings and tokens that a request may read, estimated before; beyond, it is 400
    /// `query_too_expensive` [default: any number]
    #[arg(long, value_name = "N", env = "FIRMAMENT_QUERY_BUDGET",
          value_parser = clap::value_parser!(u64).range(1..))]
    query_budget: Option<u64>,
    /// Origins whose scripts may ask, as https://example.com; `*` for any [default: none]
    #[arg(long, value_name = "ORIGIN", env = "FIRMAMENT_CORS", num_args = 1.., value_delimiter = ',')]
    cors: Vec<String>,
    /// Serve a page that searches at `/`, without a key; it asks for one
    #[arg(long, env = "FIRMAMENT_PAGE", value_parser = FalseyValueParser::new())]
    page: bool,
    /// Log every request to standard error
    #[arg(long, env = "FIRMAMENT_ACCESS_LOG", value_parser = FalseyValueParser::new())]
    access_log: bool,
}

/// An address, or `off`.
#[derive(Clone, Copy)]
struct AdminAddress(Option<SocketAddr>);

impl std::str::FromStr for AdminAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<AdminAddress, String> {
        match text {
            "off" => Ok(AdminAddress(None)),
            text => address(text).map(|address| AdminAddress(Some(address))),
        }
    }
}

/// An address with a port, by number or by name. Of several that a name has, the first of version
/// 4: that is what clients try that know no other.
fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let accepted =
        "a host and a port are accepted, as in 127.0.0.1:8080, [::1]:8080 or localhost:8080";
    let found = text.to_socket_addrs().map_err(|error| format!("{error}; {accepted}"))?;
    let mut found: Vec<SocketAddr> = found.collect();
    found.sort_by_key(SocketAddr::is_ipv6);
    found.first().copied().ok_or_else(|| format!("the name has no address; {accepted}"))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    http::install_panic_hook();
    firmament::snapshot::file::mapped::tell_of_changed_files();
    let result = match arguments.command {
        Command::Serve(arguments) => serve(arguments),
        Command::Openapi => print(http::openapi().as_bytes()),
        #[cfg(feature = "builder")]
        Command::Demo { listen } => demo::run(listen),
        #[cfg(feature = "builder")]
        Command::Completions { shell } => manual::completions(shell),
        #[cfg(feature = "builder")]
        Command::Man { command } => manual::page(command.as_deref()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nobody has to be there to read it; the exit code says it too.
            let _ = writeln!(std::io::stderr(), "firmament: {}", failure.message);
            ExitCode::from(failure.exit_code)
        }
    }
}

/// What to tell the operator, and the shell.
struct Failure {
    message: String,
    exit_code: u8,
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Failure {
        let exit_code = if matches!(error, ServeError::Keys(_)) { 2 } else { 1 };
        Failure { message: error.to_string(), exit_code }
    }
}

fn serve(arguments: ServeArguments) -> Result<(), Failure> {
    let config = arguments.config().map_err(|message| Failure { message, exit_code: 2 })?;
    http::serve(config).map_err(Failure::from)
}

impl ServeArguments {
    fn config(self) -> Result<ServerConfig, String> {
        let arguments = self;
        let origins = (!arguments.cors.is_empty())
            .then(|| Origins::parse(arguments.cors.iter().map(String::as_str)))
            .transpose()
            .map_err(|error| format!("--cors: {error}"))?;
        let defaults = ServerConfig::new(arguments.snapshot, arguments.keys);
        Ok(ServerConfig {
            listen: arguments.listen,
            admin: arguments.admin.0,
            workers: arguments.workers.map_or(defaults.workers, usize::from),
            max_connections: arguments.max_connections as usize,
            keep_snapshots: usize::from(arguments.keep_snapshots),
            keep_snapshots_for: Duration::from_secs(u64::from(arguments.keep_minutes) * 60),
            query_budget: arguments.query_budget,
            access_log: arguments.access_log,
            cors: origins,
            page: if arguments.page { PageOption::On } else { PageOption::Off },
            ..defaults
        })
    }
}

/// Writes to standard output. A reader who went away wants no more.
fn print(text: &[u8]) -> Result<(), Failure> {
    match std::io::stdout().write_all(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(Failure { message, exit_code: 1 })
        }
        _ => Ok(()),
    }
}

/// `firmament completions` and `man`: made from the argument parser, so they cannot be out of date.
#[cfg(feature = "builder")]
mod manual {
    use std::io;

    use clap::CommandFactory;
    use clap_complete::Shell;

    use super::{Arguments, Failure, print};

    pub(super) fn completions(shell: Shell) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), "firmament", &mut script);
        print(&script)
    }

    pub(super) fn page(command: Option<&str>) -> Result<(), Failure> {
        // The page would name one of `help`, which there is not.
        let mut program = Arguments::command().disable_help_subcommand(true);
        program.build();
        let wanted = command.and_then(|name| program.find_subcommand(name)).unwrap_or(&program);
        let mut page = Vec::new();
        clap_mangen::Man::new(wanted.clone()).render(&mut page).map_err(failure)?;
        // Examples stay line by line.
        let page = String::from_utf8_lossy(&page);
        print(page.replacen(".SH EXTRA\n", ".SH EXAMPLES\n.nf\n", 1).as_bytes())
    }

    fn failure(error: io::Error) -> Failure {
        let message = format!("cannot write to standard output: {error}");
        Failure { message, exit_code: 1 }
    }
}

/// `firmament demo`: a sample snapshot and a key file in a temporary folder that goes away with
/// the process.
#[cfg(feature = "builder")]
mod demo {
    use std::io::{self, Write};
    use std::net::SocketAddr;
    use std::path::{Path, PathBuf};

    use firmament::auth::{ApiKey, KeyFile};
    use firmament::http::{PageOption, Server, ServerConfig};

    use super::Failure;

    /// Well known, so that it can stand in the documentation. Only `demo` accepts it.
    pub(super) const DEMO_KEY: &str = "fmt_PublicDemoKeyForLocalUseOnly0000S2vwiq";

    /// Everything that can go wrong here is a sentence for the operator.
    fn failure(error: impl std::fmt::Display) -> Failure {
        Failure { message: error.to_string(), exit_code: 1 }
    }

    pub(super) fn run(listen: SocketAddr) -> Result<(), Failure> {
        let folder = tempfile::tempdir().map_err(failure)?;
        let keys = folder.path().join("keys.json");
        write_keys(&keys)?;
        let snapshot = build_sample(folder.path())?;

        let mut config = ServerConfig::new(snapshot, keys);
        config.listen = listen;
        config.admin = None;
        config.page = PageOption::WithKey(DEMO_KEY.to_owned());
        Server::start(config)?.run(|address| {
            let page = format!("firmament: search in a browser: http://{address}/\n");
            let _ = io::stderr().write_all(page.as_bytes());
            let request = format!(
                "curl -H 'X-API-Key: {DEMO_KEY}' 'http://{address}/v1/search?q=software&limit=3'\n"
            );
            // A closed standard output does not keep anyone from using the server.
            let _ = io::stdout().write_all(request.as_bytes());
        })?;
        // Explicit, so that a failure to clean up is told.
        folder.close().map_err(failure)
    }

    fn build_sample(folder: &Path) -> Result<PathBuf, Failure> {
        firmament::demo::build_sample(folder).map_err(failure)
    }

    fn write_keys(path: &Path) -> Result<(), Failure> {
        let hash = ApiKey::hash_if_well_formed(DEMO_KEY.as_bytes())
            .ok_or_else(|| failure("the demo key is not well formed"))?;
        KeyFile::update(path, |file| file.add_hash("demo", hash, None, None)).map_err(failure)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_demo_key_is_a_key() {
            assert!(ApiKey::hash_if_well_formed(DEMO_KEY.as_bytes()).is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples() {
        for command in Arguments::command().get_subcommands() {
            assert!(command.get_after_help().is_some(), "{}", command.get_name());
        }
    }

    #[test]
    fn every_option_of_serve_has_an_environment_twin() {
        let command = Arguments::command();
        let serve = command.find_subcommand("serve").unwrap();
        for argument in serve.get_arguments() {
            let twin = argument.get_env().and_then(|name| name.to_str());
            let expected = format!("FIRMAMENT_{}", argument.get_id().as_str().to_uppercase());
            assert_eq!(twin, Some(expected.as_str()), "{}", argument.get_id());
        }
    }

    #[test]
    fn the_admin_address_can_be_off() {
        assert!("off".parse::<AdminAddress>().unwrap().0.is_none());
        assert!("127.0.0.1:9090".parse::<AdminAddress>().unwrap().0.is_some());
        assert!("9090".parse::<AdminAddress>().is_err());
    }

    #[test]
    fn addresses_have_numbers_or_names() {
        assert_eq!(address("localhost:8080"), Ok(SocketAddr::from(([127, 0, 0, 1], 8080))));
        assert_eq!(address("[::1]:1").map(|address| address.port()), Ok(1));
        for text in ["8080", "localhost", "127.0.0.1", "127.0.0.1:99999", ""] {
            let error = address(text).unwrap_err();
            assert!(error.contains("localhost:8080"), "{error}");
        }
    }
}
