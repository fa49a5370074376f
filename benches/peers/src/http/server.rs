//! The servers that are compared, each in a process of its own: this program, started once more.
//!
//! A server prints its address when it is ready, and ends when its standard input does, which is
//! when whoever started it ends, in whatever way.

use crate::Result;
use bytes::Bytes;
use firmament::http::{Server, ServerConfig};
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Any free port.
const LISTEN: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

/// A server to be asked.
#[derive(clap::Subcommand)]
pub enum ServerCommand {
    /// hyper, with nothing behind it
    Bare {
        /// Bytes of every body
        body: usize,
    },
    /// Firmament's, with one worker
    Firmament {
        /// The snapshot file
        snapshot: PathBuf,
        /// The key file
        keys: PathBuf,
    },
}

/// Serves until standard input ends.
pub fn serve(command: ServerCommand) -> Result<()> {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    match command {
        ServerCommand::Bare { body } => serve_bytes(vec![b' '; body].into()),
        ServerCommand::Firmament { snapshot, keys } => {
            let defaults = ServerConfig::new(snapshot, keys);
            let config =
                ServerConfig { listen: LISTEN.into(), admin: None, workers: 1, ..defaults };
            Ok(Server::start(config)?.run(|address| println!("{address}"))?)
        }
    }
}

/// Answers every request with `body`, on this thread.
fn serve_bytes(body: Bytes) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(SocketAddr::from(LISTEN)).await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (socket, _) = listener.accept().await?;
            socket.set_nodelay(true)?;
            let body = body.clone();
            let answer = move |_: Request<Incoming>| {
                let mut response = Response::new(Full::new(body.clone()));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                async { Ok::<_, Infallible>(response) }
            };
            tokio::spawn(
                http1::Builder::new().serve_connection(TokioIo::new(socket), service_fn(answer)),
            );
        }
    })
}

/// A process that serves as long as this value lives.
pub struct Served {
    process: Process,
    pub address: SocketAddr,
}

impl Served {
    /// Starts what [`ServerCommand`] is read from `arguments`, pinned to a processor, and waits
    /// until it is ready.
    pub fn start(arguments: &[impl AsRef<OsStr>], processor: u16) -> Result<Served> {
        let mut process = Command::new("taskset")
            .args(["-c", &processor.to_string()])
            .arg(std::env::current_exe()?)
            .arg("serve")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start taskset: {error}"))?;
        let output = process.stdout.take().expect("it is piped");
        let process = Process(process);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().parse().map_err(|_| "a server did not start; see above")?;
        Ok(Served { process, address })
    }

    pub fn id(&self) -> u32 {
        self.process.0.id()
    }

    /// Memory of the process that no file stands behind.
    pub fn anonymous_kb(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let value = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kb = value.and_then(|value| value.trim().strip_suffix(" kB"));
        Ok(kb.ok_or("/proc does not tell the memory of a process")?.trim().parse()?)
    }
}

/// A process that ends with this value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The time that all threads of a process were running (`/proc/PID/task/TID/schedstat`, the first
/// number).
pub fn processor_time(process: u32) -> Result<Duration> {
    let mut nanos = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let text = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        nanos += text.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanos))
}
