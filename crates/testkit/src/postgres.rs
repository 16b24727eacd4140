//! Real PostgreSQL servers for tests: started once for a test binary, stopped and deleted with it, one database a test.
//!
//! `DOCENT_TEST_POSTGRES` names folders with `initdb` and `postgres`, parted by colons, one for each server to test on.
//! Without it tests say that they skip. PostgreSQL refuses to run as root, so it runs as the user `postgres` then. A small
//! shell script is the server's parent: it does what it is told on its input, and ends the server when that ends, which it
//! does with the test binary, however that ends. A test that needs a server of another kind, or to stop it, starts one of its own.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

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
small=$3
shift 3
mkdir small
if [ -n "$small" ]; then mount -t tmpfs -o "size=$small" none small || exit 1; fi
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
while read -r command; do
    case $command in
        narrow) head -c 16M /dev/zero >small/ballast ;;
        widen) rm small/ballast ;;
        *) false ;;
    esac </dev/null >>"$dir/log" 2>&1 && echo done || echo failed
done
"$0/pg_ctl" -D "$dir/data" -m immediate -s stop 2>/dev/null
wait $pid
[ -z "$small" ] || umount small
"#;

/// How the data folder of a server is made: `$0` holds the programs, `$dir/data` is the folder.
const NEW: &str = r#""$0/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync"#;

/// A running server.
pub struct Postgres {
    bin: PathBuf,
    /// Where its socket is.
    dir: PathBuf,
    port: u16,
    script: Mutex<Script>,
}

/// The server's parent.
struct Script {
    child: Child,
    /// Open for as long as the server is wanted.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A program that starts the script, and how large its folder `small` is.
#[derive(Default)]
struct Around<'a> {
    before: &'a [&'a str],
    small: &'a str,
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
        let started = STARTED.get(at)?.get_or_init(|| {
            let started = Self::start(&bin(at)?, 5432, NEW, &[], &Around::default());
            Some(started.expect("the server starts"))
        });
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
        let started = Self::start(bin, port, make, &all, &Around::default());
        // A test that fails leaves its server to the end of the binary, as databases are left.
        Box::leak(Box::new(started.expect("the server starts")))
    }

    /// A server for one test with a folder `small` of 64 MB, of which [`Postgres::narrow`] takes a part; `None`, and a word
    /// about it, where this user may not mount one.
    pub fn with_little_space(at: usize) -> Option<&'static Self> {
        let before = ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount"];
        let started = Self::start(&bin(at)?, 5432, NEW, &[], &Around { before: &before, small: "64m" });
        if started.is_none() {
            eprintln!("skipped: this user may not mount a small file system");
        }
        started.map(|server| &*Box::leak(Box::new(server)))
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

    fn start(bin: &Path, port: u16, make: &str, settings: &[&str], around: &Around<'_>) -> Option<Self> {
        let mut words = around.before.iter().copied().chain(["sh"]);
        let mut child = as_its_user(Path::new(words.next()?))
            .args(words)
            .args(["-c", SCRIPT])
            .arg(bin)
            .arg(port.to_string())
            .args([make, around.small])
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut output = BufReader::new(child.stdout.take()?);
        let mut line = String::new();
        output.read_line(&mut line).ok()?;
        let dir = PathBuf::from(Some(line.trim_end()).filter(|line| !line.is_empty())?);
        let input = child.stdin.take();
        let script = Mutex::new(Script { child, input, output });
        Some(Self { bin: bin.to_owned(), dir, port, script })
    }

    fn tell(&self, command: &str) {
        let mut script = self.script.lock().unwrap();
        let input = script.input.as_mut().expect("it is open until the server ends");
        writeln!(input, "{command}").unwrap();
        let mut line = String::new();
        script.output.read_line(&mut line).unwrap();
        let log = || std::fs::read_to_string(self.dir.join("log")).unwrap_or_default();
        assert_eq!(line.trim_end(), "done", "{command}: {}", log());
    }

    /// Takes 16 MB of the small folder away.
    pub fn narrow(&self) {
        self.tell("narrow");
    }

    /// Gives them back.
    pub fn widen(&self) {
        self.tell("widen");
    }

    /// The small folder.
    pub fn small(&self) -> PathBuf {
        self.dir.join("small")
    }

    /// The server's socket.
    pub fn socket(&self) -> PathBuf {
        self.dir.join(format!(".s.PGSQL.{}", self.port))
    }

    /// Ends the server and deletes what it had.
    pub fn end(&self) {
        let mut script = self.script.lock().unwrap();
        script.input = None;
        script.child.wait().unwrap();
    }

    /// A new, empty database.
    pub fn database(&'static self) -> Database {
        self.database_with("")
    }

    /// A new, empty database, made with some more words.
    pub fn database_with(&'static self, words: &str) -> Database {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name} TEMPLATE template0 {words}"));
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

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
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
        command.arg(&self.server.dir).args(["-p", &self.server.port.to_string()]);
        let output = command.args(args).output().expect("psql is beside the server");
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
