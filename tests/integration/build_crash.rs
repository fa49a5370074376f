//! Builds that are killed, and builds that meet each other: the target is the old snapshot or the
//! new one, whole, and nothing is left behind for long.
//!
//! The ordinary tests kill a dozen builds; `FIRMAMENT_KILLS` says how many otherwise. The ignored
//! test makes the system calls of the real program fail one after the other, with `strace`, which
//! must be installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A folder with an old and a new input, and the snapshots that they make.
struct Scene {
    folder: tempfile::TempDir,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Scene {
    fn new(num_records: usize) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let mut scene = Scene { folder, old: Vec::new(), new: Vec::new() };
        for (name, num_records) in [("old", num_records / 2), ("new", num_records)] {
            let records: String = (0..num_records).map(record).collect();
            fs::write(scene.path(name), records).unwrap();
            assert!(scene.build(name).status().unwrap().success());
            let bytes = fs::read(scene.target()).unwrap();
            match name {
                "old" => scene.old = bytes,
                _ => scene.new = bytes,
            }
        }
        assert!(scene.old != scene.new);
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The target has a folder of its own.
    fn target(&self) -> PathBuf {
        let folder = self.path("snapshots");
        fs::create_dir_all(&folder).unwrap();
        folder.join("x.firmament")
    }

    fn build(&self, input: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_firmament-tools"));
        command.arg("build").arg(self.path(input)).args(["--memory", "64MiB", "--output"]);
        command.arg(self.target()).arg("--reject-file").arg(self.path("rejects"));
        // The bytes of two builds are compared: they tell the time of the build.
        command.env("SOURCE_DATE_EPOCH", "0");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Is the target the new snapshot? It must be that or the old one.
    fn is_new(&self, what: impl std::fmt::Display) -> bool {
        let found = fs::read(self.target()).unwrap();
        assert!(found == self.old || found == self.new, "{what}: the target is neither");
        found == self.new
    }

    /// What lies beside the target.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("snapshots")).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        entries.map(name).filter(|name| name != "x.firmament").collect()
    }
}

fn record(id: usize) -> String {
    format!(
        "{{\"id\":\"id-{id}\",\"name\":\"Name {} of {id}\",\"website\":\"https://www.host{id}.com\",\
         \"description\":\"number {} of the companies that make boxes and {id} other things\",\
         \"employee_count\":{}}}\n",
        id % 97,
        id * 7919,
        id % 13
    )
}

#[test]
fn a_killed_build_leaves_the_old_snapshot_or_the_new_one() {
    let kills: u32 =
        std::env::var("FIRMAMENT_KILLS").map_or(12, |kills| kills.parse().expect("a number"));
    let scene = Scene::new(4000);
    let start = Instant::now();
    assert!(scene.build("new").status().unwrap().success());
    let whole = start.elapsed().mul_f64(1.2);
    let (mut left, mut published) = (0, 0);
    for kill in 0..kills {
        fs::write(scene.target(), &scene.old).unwrap();
        let mut child = scene.build("new").spawn().unwrap();
        // Moments spread over the whole build, in an order of no pattern: multiples of the golden
        // ratio.
        std::thread::sleep(whole.mul_f64((f64::from(kill) * 0.618_033_988_749_895).fract()));
        child.kill().unwrap();
        child.wait().unwrap();
        published += u32::from(scene.is_new(format_args!("kill {kill}")));
        left += scene.names().len();
    }
    println!("{kills} kills: {published} after publishing, {left} files left by killed builds");
    assert!(scene.build("new").status().unwrap().success());
    assert!(scene.is_new("the last build"));
    assert_eq!(scene.names(), Vec::<String>::new());
}

/// A build that waits for its input until it is killed.
struct Waiting(Child);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn the_second_build_of_a_target_ends_at_once() {
    let scene = Scene::new(10);
    let mut first = Command::new(env!("CARGO_BIN_EXE_firmament-tools"));
    first.args(["build", "-", "--output"]).arg(scene.target());
    first.arg("--reject-file").arg(scene.path("rejects"));
    let first = first.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let waiting = Waiting(first);
    let deadline = Instant::now() + Duration::from_secs(20);
    while scene.names().len() < 2 {
        assert!(Instant::now() < deadline, "the first build does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = scene.build("old").stderr(Stdio::piped()).output().unwrap();
    let error = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{error}");
    assert!(error.contains("another build is writing"), "{error}");
    assert!(scene.is_new("refused"));
    drop(waiting);
    assert!(scene.names().len() >= 2, "a killed build cannot clean up");
    assert!(scene.build("old").status().unwrap().success());
    assert!(!scene.is_new("built"));
    assert_eq!(scene.names(), Vec::<String>::new());
}

/// Every call of every kind that changes files fails in turn, as the system reports it.
#[test]
#[ignore = "needs strace, takes minutes"]
fn a_failing_system_call_leaves_the_old_snapshot_or_the_new_one() {
    let scene = Scene::new(400);
    let mut runs = 0;
    for call in ["pwrite64", "fsync", "ftruncate", "rename", "fchmod", "openat", "mmap"] {
        for fault in ["error=EIO", "error=ENOSPC", "signal=KILL"] {
            for at in 1.. {
                // Opening and mapping begins with the program itself: the loader's are not ours.
                fs::write(scene.target(), &scene.old).unwrap();
                let status = traced(&scene, call, fault, at);
                runs += 1;
                let is_new = scene.is_new(format_args!("{call} {at} {fault}"));
                assert!(is_new || !status, "{call} {at} {fault}: no error, no snapshot");
                let is_over = at >= 40 || status && at >= 20;
                if is_over {
                    break;
                }
            }
            assert!(scene.build("new").status().unwrap().success());
            assert_eq!(scene.names(), Vec::<String>::new(), "{call} {fault}");
        }
    }
    println!("{runs} builds with a failing call");
}

/// Runs a build whose `at`th call of each thread fails; did it succeed?
fn traced(scene: &Scene, call: &str, fault: &str, at: u32) -> bool {
    let build = scene.build("new");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(Path::new("/dev/null"));
    command.arg("-e").arg(format!("trace={call}"));
    command.arg("-e").arg(format!("inject={call}:{fault}:when={at}"));
    command.arg(build.get_program()).args(build.get_args());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("strace is installed").success()
}
