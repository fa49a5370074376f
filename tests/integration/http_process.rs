//! The program itself: exit codes, signals, messages, `demo`.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::support::{Client, PATIENCE, Setup, eventually, records, request};

/// `firmament` with no inherited configuration.
fn firmament() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firmament"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FIRMAMENT_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A process that is ended with the test, whatever happens.
struct Process {
    child: Child,
    log: std::sync::mpsc::Receiver<String>,
}

impl Process {
    fn start(command: &mut Command) -> Process {
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let (sender, log) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Process { child, log }
    }

    /// The next log line that contains `part`.
    fn line_with(&self, part: &str) -> String {
        let started = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(started.elapsed());
            let line =
                self.log.recv_timeout(left).unwrap_or_else(|error| panic!("no {part:?}: {error}"));
            if line.contains(part) {
                return line;
            }
        }
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status().expect("kill");
        assert!(status.success());
    }

    fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        eventually("the process ends", || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        status.expect("it ended")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Arguments of a server on free ports.
fn serve(setup: &Setup) -> Command {
    setup.write_keys();
    let mut command = firmament();
    command.arg("serve").arg(&setup.config.snapshot).arg("--keys").arg(&setup.config.keys);
    command.args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--workers", "2"]);
    command
}

/// The address in a start message: `… listening on 127.0.0.1:1234 (admin …`.
fn address_in(line: &str) -> SocketAddr {
    let (_, after) = line.split_once("listening on ").expect("a start message");
    after.split(' ').next().and_then(|address| address.parse().ok()).expect("an address")
}

#[test]
fn serve_says_where_it_listens_and_stops_on_a_signal() {
    for signal in ["TERM", "INT"] {
        let setup = Setup::new();
        let mut process = Process::start(&mut serve(&setup));
        let line = process.line_with("listening on");
        assert!(line.contains("45 records"), "{line}");
        let mut client = Client::connect(address_in(&line));
        client.send(&request("GET", "/v1/search", &[("X-API-Key", setup.key())]));
        assert_eq!(client.response().total(), 45);
        process.signal(signal);
        assert!(client.is_closed());
        drop(client);
        assert_eq!(process.wait().code(), Some(0), "SIG{signal}");
    }
}

#[test]
fn a_second_signal_stops_at_once() {
    let setup = Setup::new();
    let mut process = Process::start(&mut serve(&setup));
    let address = address_in(&process.line_with("listening on"));
    let mut partial = Client::connect(address);
    partial.send(b"GET /v1/search HTTP/1.1\r\n");
    // An answer on a later connection tells that the earlier one has been accepted, too, if both
    // went to the same worker; both workers have got one after a few.
    for _ in 0..4 {
        let mut client = Client::connect(address);
        client.send(&request("GET", "/v1/search", &[("X-API-Key", setup.key())]));
        assert_eq!(client.response().status, 200);
    }
    process.signal("TERM");
    process.line_with("stopping");
    process.signal("TERM");
    assert_eq!(process.wait().code(), Some(0));
    assert!(partial.is_closed());
}

#[test]
fn a_hang_up_reloads() {
    let setup = Setup::new();
    let process = Process::start(&mut serve(&setup));
    let address = address_in(&process.line_with("listening on"));
    let next = setup.config.snapshot.with_extension("built");
    let more = format!("{}{{\"id\":\"new\",\"name\":\"Dynamo\"}}\n", records());
    firmament::index::from_jsonl(&more, &next).expect("valid records");
    std::fs::rename(&next, &setup.config.snapshot).expect("one file system");
    process.signal("HUP");
    assert!(process.line_with("reload:").contains("46 records"));
    let mut client = Client::connect(address);
    client.send(&request("GET", "/v1/search", &[("X-API-Key", setup.key())]));
    assert_eq!(client.response().total(), 46);
}

/// Pages that are no longer behind the mapping end the process; it says why first.
#[test]
#[cfg(target_os = "linux")]
fn a_snapshot_that_is_cut_off_while_it_is_served_ends_the_server_with_a_reason() {
    let setup = Setup::new();
    let mut process = Process::start(&mut serve(&setup));
    let address = address_in(&process.line_with("listening on"));
    let snapshot = &setup.config.snapshot;
    let file = std::fs::File::options().write(true).open(snapshot).expect("a writable file");
    file.set_len(0).expect("a file that can be cut");
    let mut client = Client::connect(address);
    client.send(&request("GET", "/v1/search?q=anvil", &[("X-API-Key", setup.key())]));
    assert_eq!(process.wait().code(), Some(5));
    assert!(client.is_closed());
    let lines: Vec<String> = process.log.iter().collect();
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.contains(&snapshot.display().to_string()), "{line}");
    assert!(line.contains("cp new.firmament NAME.next && mv NAME.next NAME"), "{line}");
}

#[test]
fn every_flag_has_an_environment_twin() {
    let setup = Setup::new();
    setup.write_keys();
    let mut command = firmament();
    command
        .arg("serve")
        .env("FIRMAMENT_SNAPSHOT", &setup.config.snapshot)
        .env("FIRMAMENT_KEYS", &setup.config.keys)
        .env("FIRMAMENT_LISTEN", "127.0.0.1:0")
        .env("FIRMAMENT_ADMIN", "off")
        .env("FIRMAMENT_WORKERS", "1")
        .env("FIRMAMENT_MAX_CONNECTIONS", "5")
        .env("FIRMAMENT_KEEP_SNAPSHOTS", "0")
        .env("FIRMAMENT_KEEP_MINUTES", "0")
        .env("FIRMAMENT_ACCESS_LOG", "true");
    let process = Process::start(&mut command);
    let line = process.line_with("listening on");
    assert!(line.contains("admin off") && line.contains("1 workers"), "{line}");
    let mut client = Client::connect(address_in(&line));
    client.send(&request("GET", "/v1/search?q=%0Aanvil", &[("X-API-Key", setup.key())]));
    assert_eq!(client.response().status, 200);
    let line = process.line_with("GET");
    assert!(
        line.contains("200 GET \"/v1/search?q=%0Aanvil\"") && line.contains("key test"),
        "{line}"
    );
    assert!(!line.contains(setup.key()), "{line}");
}

/// Exit code and standard error of a run that ends by itself.
fn run(command: &mut Command) -> (Option<i32>, String) {
    let mut process = Process::start(command);
    let status = process.wait();
    (status.code(), process.log.iter().collect::<Vec<_>>().join("\n"))
}

#[test]
fn failures_exit_with_1_and_say_why() {
    let setup = Setup::new();
    let mut command = serve(&setup);
    std::fs::remove_file(&setup.config.snapshot).expect("the file is there");
    let (code, log) = run(&mut command);
    assert_eq!(code, Some(1), "{log}");
    assert!(!log.is_empty());

    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let setup = Setup::new();
    setup.write_keys();
    let mut command = firmament();
    command.arg("serve").arg(&setup.config.snapshot).arg("--keys").arg(&setup.config.keys);
    let (code, log) = run(command.args(["--listen", &address, "--admin", "off"]));
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains(&address), "{log}");
}

#[test]
fn wrong_usage_exits_with_2() {
    let setup = Setup::new();
    for arguments in [
        &["serve"][..],
        &["serve", "x"],
        &["serve", "x", "--keys"],
        &["serve", "x", "--keys", "y", "--nonsense"],
        &["serve", "x", "--keys", "y", "--listen", "nowhere"],
        &["serve", "x", "--keys", "y", "--listen", "127.0.0.1:65536"],
        &["serve", "x", "--keys", "y", "--workers", "0"],
        &["serve", "x", "--keys", "y", "--max-connections", "0"],
        &["nonsense"],
        &[],
    ] {
        let (code, log) = run(firmament().args(arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {log}");
    }
    let mut command = serve(&setup);
    std::fs::write(&setup.config.keys, "{\"keys\":[\n{\"name\":1}]}").expect("a writable folder");
    let (code, log) = run(&mut command);
    assert_eq!(code, Some(2), "{log}");
    assert!(log.contains("line 2"), "{log}");
}

#[test]
fn help_shows_examples() {
    for arguments in [&["--help"][..], &["serve", "--help"]] {
        let output = firmament().args(arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("Examples:") && text.contains("firmament demo"), "{text}");
    }
}

#[test]
fn demo_prints_a_request_that_works_and_cleans_up() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let mut command = firmament();
    command.args(["demo", "--listen", "127.0.0.1:0"]).env("TMPDIR", temporary.path());
    let mut process = Process::start(&mut command);
    process.line_with("listening on");
    let mut stdout = BufReader::new(process.child.stdout.take().expect("piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    let parts: Vec<&str> = line.trim_end().split('\'').collect();
    let ["curl -H ", header, " ", url, ""] = parts[..] else { panic!("{line}") };
    let key = header.strip_prefix("X-API-Key: ").expect("the key");
    let (address, target) =
        url.strip_prefix("http://").and_then(|u| u.split_once('/')).expect("a URL");
    let mut client = Client::connect(address.parse().expect("an address"));
    client.send(&request("GET", &format!("/{target}"), &[("X-API-Key", key)]));
    assert_eq!(client.response().status, 200);
    drop(client);
    assert!(std::fs::read_dir(temporary.path()).expect("a folder").count() > 0);
    process.signal("INT");
    assert_eq!(process.wait().code(), Some(0));
    assert_eq!(std::fs::read_dir(temporary.path()).expect("a folder").count(), 0);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("the rest");
    assert_eq!(rest, "", "nothing but the request on standard output");
}
