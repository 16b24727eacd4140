//! Real PostgreSQL servers for tests: started once for a test binary, stopped and deleted with it, one database a test.
//!
//! `DOCENT_TEST_POSTGRES` names folders with `initdb` and `postgres`, parted by colons, one for each server to test on.
//! Without it tests say that they skip. PostgreSQL refuses to run as root, so it runs as the user `postgres` then. A small
//! shell script is the server's parent: it waits for the end of its input, which comes when the test binary ends, in
//! whatever way. A test that needs a server of another kind, or to stop it, starts one of its own.

use std::env;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Folders with the programs of each server to test on.
pub const SERVERS: &str = "DOCENT_TEST_POSTGRES";

const SCRIPT: &str = r#"
trap '' INT TERM
for place in /dev/shm "${TMPDIR:-/tmp}"; do
    dir=$(mktemp -d "$place/docent-pg.XXXXXX" 2>/dev/null) && break
done
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export PGPORT=$1
make=$2
shift 2
(eval "$make") >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
"$0/postgres" -D "$dir/data" -k "$dir" -p "$PGPORT" -c listen_addresses= -c fsync=off -c synchronous_commit=off \
    -c full_page_writes=off -c max_connections=200 -c shared_buffers=128MB -c autovacuum_naptime=10s "$@" >"$dir/log" 2>&1 &
pid=$!
tries=0
until "$0/pg_isready" -h "$dir" -q; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 $pid; then cat "$dir/log" >&2; kill -KILL $pid; exit 1; fi
    sleep 0.05
done
echo "$dir"
cat >/dev/null
"$0/pg_ctl" -D "$dir/data" -m immediate -s stop
wait $pid
"#;

/// How the data folder of a server is made: `$0` holds the programs, `$dir/data` is the folder.
const NEW: &str = r#""$0/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync"#;

/// A running server.
pub struct Postgres {
    bin: PathBuf,
    /// Where its socket is.
    dir: PathBuf,
    port: u16,
    /// Its input is open for as long as this process lives.
    _script: Child,
}

/// A database of a test's own, deleted when it is dropped.
pub struct Database {
    server: &'static Postgres,
    name: String,
}

impl Postgres {
    /// The server at this place in the list, started when first asked for; `None`, and a word about it, when the list is
    /// shorter.
    pub fn server(at: usize) -> Option<&'static Self> {
        static STARTED: [OnceLock<Option<Postgres>>; 4] = [const { OnceLock::new() }; 4];
        let started = STARTED.get(at)?.get_or_init(|| Some(Self::start(&bin(at)?, 5432, NEW, &[])));
        if started.is_none() {
            eprintln!("skipped: {SERVERS} names no server number {}", at + 1);
        }
        started.as_ref()
    }

    /// A new server of a test's own, of the kind at this place in the list, with a script that makes its folder ready and
    /// with settings of its own. It can also be reached on a port of this machine.
    pub fn own(at: usize, ready: &str, settings: &[&str]) -> Option<&'static Self> {
        Some(Self::own_made(&bin(at)?, &format!("{NEW} && {{\n{ready}\n:; }}"), settings))
    }

    fn own_made(bin: &Path, make: &str, settings: &[&str]) -> &'static Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut all = vec!["listen_addresses=127.0.0.1"];
        all.extend(settings);
        Box::leak(Box::new(Self::start(bin, port, make, &all)))
    }

    /// A new server that is a copy of this one, of the same kind, and follows it.
    pub fn standby(&self) -> &'static Self {
        let make = format!(
            r#""$0/pg_basebackup" -h {} -p {} -U postgres -D "$dir/data" -R -X stream -c fast --no-sync"#,
            self.dir.display(),
            self.port
        );
        Self::own_made(&self.bin, &make, &[])
    }

    /// Stops a server of a test's own, as if it had lost its power.
    pub fn stop(&self) {
        self.control(&["-m", "immediate", "stop"]);
    }

    /// Starts it again.
    pub fn restart(&self) {
        self.control(&["-w", "restart"]);
    }

    fn control(&self, arguments: &[&str]) {
        let status = as_its_user(&self.bin.join("pg_ctl"))
            .args(["-s", "-l"])
            .arg(self.dir.join("log"))
            .arg("-D")
            .arg(self.dir.join("data"))
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.is_ok_and(|status| status.success()), "{arguments:?}");
    }

    /// The port of a server of a test's own.
    pub fn port(&self) -> u16 {
        self.port
    }

    fn start(bin: &Path, port: u16, make: &str, settings: &[&str]) -> Self {
        let mut script = as_its_user(Path::new("sh"))
            .args(["-c", SCRIPT])
            .arg(bin)
            .arg(port.to_string())
            .arg(make)
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh, and setpriv as root, are there");
        let mut line = String::new();
        let output = script.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the server of {} did not start", bin.display());
        Self { bin: bin.to_owned(), dir: PathBuf::from(line.trim_end()), port, _script: script }
    }

    /// A new, empty database.
    pub fn database(&'static self) -> Database {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE template0"));
        Database { server: self, name }
    }

    /// A database of this name.
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://postgres@/{database}?host={}&port={}", self.dir.display(), self.port)
    }

    /// Runs statements with `psql` as the superuser and returns what it prints.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let output = Command::new(self.bin.join("psql"))
            .args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database, "-h"])
            .arg(&self.dir)
            .args(["-p", &self.port.to_string(), "-c", statements])
            .output()
            .expect("psql is beside the server");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

/// The programs of the server at this place in the list.
fn bin(at: usize) -> Option<PathBuf> {
    let list = env::var_os(SERVERS)?;
    env::split_paths(&list).nth(at)
}

/// A program that the server's own user runs.
fn as_its_user(program: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command
}

impl Database {
    /// How to connect to it.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Runs statements in it as the superuser and returns what `psql` prints.
    pub fn sql(&self, statements: &str) -> String {
        self.server.sql(&self.name, statements)
    }

    /// The same as another role; the error is what `psql` says.
    pub fn sql_as(&self, role: &str, statements: &str) -> Result<String, String> {
        self.psql(&["-U", role, "-c", statements])
    }

    /// Runs a script of `psql` in it as the superuser, with these variables.
    pub fn script(&self, path: &Path, variables: &[(&str, &str)]) {
        let set = variables.iter().map(|(name, value)| format!("{name}={value}"));
        let set: Vec<String> = set.flat_map(|set| ["-v".to_owned(), set]).collect();
        let mut args: Vec<&str> = set.iter().map(String::as_str).collect();
        let path = path.to_string_lossy();
        args.extend(["-U", "postgres", "-f", &path]);
        self.psql(&args).unwrap();
    }

    fn psql(&self, args: &[&str]) -> Result<String, String> {
        let mut command = Command::new(self.server.bin.join("psql"));
        command.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", &self.name, "-h"]);
        let output = command.arg(&self.server.dir).args(args).output().expect("psql is beside the server");
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.server.sql("postgres", &format!("DROP DATABASE {} WITH (FORCE)", self.name));
        }
    }
}
