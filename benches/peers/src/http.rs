//! `peers http`: how many requests a second Firmament's server answers, as a share of what a bare
//! one does.
//!
//! In: a snapshot, and a file of requests as `firmament-tools workload` writes it for this
//! snapshot. Out, for each round and both servers: requests a second, processor time of the server
//! for each, and the share of the time in which the client was busy. Where the client is always
//! busy, it is the limit: then processor time tells more.
//!
//! The bare server is hyper on one thread, which returns the same bytes whatever it is asked
//! ([`server`]). Each server is a process of its own, pinned to the first processor of
//! [`HttpArguments::processors`], and the client ([`client`]) is pinned to the second. One answers
//! while the other waits; before the rounds each answers every request of the file once. An answer
//! that is not a page ends the measurement.
//!
//! For Linux: it needs `taskset` and `/proc`.

mod client;
pub mod server;

use crate::Result;
use client::{Client, Load};
use firmament::auth::KeyFile;
use server::Served;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Options of `http`.
#[derive(clap::Args)]
pub struct HttpArguments {
    /// The snapshot file
    snapshot: PathBuf,
    /// A file of requests, as `firmament-tools workload` writes it for this snapshot
    workload: PathBuf,
    /// Connections, each with one request at a time
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    connections: u16,
    /// How long each server is asked in each round
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// How often: the bare server, then Firmament's
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Bytes of the body that the bare server returns
    #[arg(long, value_name = "BYTES", default_value_t = 9000)]
    bare_body: usize,
    /// The processors of server and client, as `taskset` numbers them
    #[arg(long, value_name = "N,N", default_value = "0,1", value_parser = two_processors)]
    processors: [u16; 2],
}

/// Two numbers with a comma between them.
fn two_processors(text: &str) -> std::result::Result<[u16; 2], String> {
    let number = |text: &str| text.parse::<u16>().map_err(|error| format!("\"{text}\": {error}"));
    let (server, client) = text.split_once(',').ok_or("two numbers are expected, as in 0,1")?;
    Ok([number(server)?, number(client)?])
}

/// Asks both servers in turns and prints what they did.
pub fn run(arguments: &HttpArguments) -> Result<()> {
    let [server_processor, client_processor] = arguments.processors;
    let folder = tempfile::tempdir()?;
    let keys = folder.path().join("keys.json");
    let key = KeyFile::update(&keys, |file| file.add("load", None, None))?;
    let load = Load::read(&arguments.workload, key.expose())?;
    let bare = Served::start(&["bare", &arguments.bare_body.to_string()], server_processor)?;
    let paths = [arguments.snapshot.as_path(), &keys].map(Path::as_os_str);
    let firmament = Served::start(&["firmament".as_ref(), paths[0], paths[1]], server_processor)?;
    pin_to(client_processor)?;
    let client = Client::new(&load, usize::from(arguments.connections))?;
    let time = Duration::from_secs(arguments.seconds);
    // The snapshot is read in, and whatever is allocated once is.
    client.ask_once(bare.address)?;
    client.ask_once(firmament.address)?;
    println!("{} connections, {} s at a time", arguments.connections, arguments.seconds);
    println!(
        "{:>5} | {:>9} {:>8} {:>7} | {:>9} {:>8} {:>7} | {:>6}",
        "round", "bare /s", "CPU µs", "client", "Firm /s", "CPU µs", "client", "share"
    );
    for round in 1..=arguments.rounds {
        let [bare, ours] = [&bare, &firmament].map(|served| figures(&client, served, time));
        let (bare, ours) = (bare?, ours?);
        println!(
            "{round:>5} | {:>9.0} {:>8.1} {:>6.0}% | {:>9.0} {:>8.1} {:>6.0}% | {:>6.3}",
            bare.per_second,
            bare.server_micros,
            bare.client_busy * 100.0,
            ours.per_second,
            ours.server_micros,
            ours.client_busy * 100.0,
            ours.per_second / bare.per_second,
        );
    }
    println!("Firmament's memory besides the mapping: {} kB", firmament.anonymous_kb()?);
    Ok(())
}

/// What one server did in one round.
struct Figures {
    per_second: f64,
    /// Processor time of the server for each request.
    server_micros: f64,
    /// The share of the time in which the client was busy.
    client_busy: f64,
}

fn figures(client: &Client<'_>, served: &Served, time: Duration) -> Result<Figures> {
    let own = std::process::id();
    let before = [server::processor_time(served.id())?, server::processor_time(own)?];
    let started = Instant::now();
    let answers = client.ask_for(served.address, time)? as f64;
    let seconds = started.elapsed().as_secs_f64();
    let [of_server, of_client] = [
        server::processor_time(served.id())? - before[0],
        server::processor_time(own)? - before[1],
    ];
    Ok(Figures {
        per_second: answers / seconds,
        server_micros: of_server.as_secs_f64() * 1e6 / answers,
        client_busy: of_client.as_secs_f64() / seconds,
    })
}

/// Pins this process to a processor.
fn pin_to(processor: u16) -> Result<()> {
    let own = std::process::id().to_string();
    let output = Command::new("taskset").args(["-cp", &processor.to_string(), &own]).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cannot run on processor {processor} alone: {}", said.trim()).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_two_numbers() {
        assert_eq!(two_processors("0,1"), Ok([0, 1]));
        assert_eq!(two_processors("12,3"), Ok([12, 3]));
        for bad in ["", "1", "1,", "1,2,3", "-1,0", "a,b"] {
            assert!(two_processors(bad).is_err(), "{bad}");
        }
    }
}
