//! The password of an address that has none: from the places where PostgreSQL's own programs look.
//!
//! `PGPASSWORD` comes first, then the file that `PGPASSFILE` names or `~/.pgpass`, whose lines are
//! `host:port:database:user:password`. A file that others may read is not used, as with those programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// Looks a variable of the environment up.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What was found for a connection.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) password: Option<Vec<u8>>,
    /// Why a file was not used, for who is not let in.
    pub(crate) remark: Option<String>,
}

/// The password for `config`, from the environment or the user's file.
pub(crate) fn find(config: &Config, lookup: Lookup<'_>) -> Found {
    let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
    if let Some(password) = set("PGPASSWORD") {
        return Found { password: Some(password.into_encoded_bytes()), remark: None };
    }
    let usual = || set("HOME").map(|home| Path::new(&home).join(".pgpass"));
    let Some(path) = set("PGPASSFILE").map(PathBuf::from).or_else(usual) else { return Found::default() };
    let Ok(about) = std::fs::metadata(&path) else { return Found::default() };
    let remark = |why: &str| Found { password: None, remark: Some(format!("{} {why}", path.display())) };
    if !about.is_file() {
        return remark("is not used: it is no file");
    }
    if is_open_to_others(&about) {
        return remark("is not used, because others may read it: chmod 600 mends that");
    }
    match std::fs::read_to_string(&path) {
        Ok(text) => Found { password: in_file(&text, &wanted(config, lookup)), remark: None },
        Err(error) => remark(&format!("cannot be read: {error}")),
    }
}

#[cfg(unix)]
fn is_open_to_others(about: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}

/// What a line has to say in each of its first four fields: one of these.
type Wanted = [Vec<String>; 4];

fn wanted(config: &Config, lookup: Lookup<'_>) -> Wanted {
    let hosts = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => vec![name.clone()],
        // Connections through a socket are those to this machine.
        #[cfg(unix)]
        Some(Host::Unix(path)) => vec![path.display().to_string(), "localhost".to_owned()],
        None => vec!["localhost".to_owned()],
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let me = || lookup("USER").map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let user = config.get_user().map_or_else(me, str::to_owned);
    let database = config.get_dbname().unwrap_or(&user).to_owned();
    [hosts, vec![port.to_string()], vec![database], vec![user]]
}

/// The password of the first line that is about this connection.
fn in_file(text: &str, wanted: &Wanted) -> Option<Vec<u8>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(fields).find_map(|fields| {
        let is_meant = |(field, wanted): (&Field, &Vec<String>)| field.is_any || wanted.contains(&field.text);
        let is_it = fields.len() >= 5 && fields.iter().zip(wanted).all(is_meant);
        is_it.then(|| fields[4].text.clone().into_bytes())
    })
}

#[derive(Default)]
struct Field {
    text: String,
    /// A star that was not escaped.
    is_any: bool,
}

/// The fields of a line. A backslash takes its meaning from a colon or from another backslash.
fn fields(line: &str) -> Vec<Field> {
    let mut fields = vec![Field::default()];
    let mut start = 0;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        let taken = match c {
            // The fifth field is the last, and needs no escapes for what follows.
            ':' if fields.len() < 5 => {
                end(&mut fields, &line[start..at]);
                fields.push(Field::default());
                start = at + 1;
                continue;
            }
            '\\' => chars.next().map(|(_, escaped)| escaped),
            c => Some(c),
        };
        if let Some(field) = fields.last_mut() {
            field.text.extend(taken);
        }
    }
    fields
}

fn end(fields: &mut [Field], raw: &str) {
    if let Some(field) = fields.last_mut() {
        field.is_any = raw == "*";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "postgresql://me@db.example:5433/docs";

    fn check(url: &str, file: &str, expected: Option<&str>) {
        let config: Config = url.parse().unwrap();
        let found = in_file(file, &wanted(&config, &|_| None));
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{url}: {file}");
    }

    #[test]
    fn the_first_line_about_the_connection_counts() {
        check(URL, "db.example:5433:docs:me:secret", Some("secret"));
        check(URL, "# mine\n\nother:*:*:*:no\ndb.example:*:*:me:yes\n*:*:*:*:later", Some("yes"));
        check(URL, "db.example:5432:docs:me:no\ndb.example:5433:other:me:no\n*:*:*:you:no", None);
        check("postgresql://me@db.example", "db.example:5432:me:me:usual", Some("usual"));
        check("postgresql://me@/docs?host=/run/pg", "localhost:*:docs:me:socket", Some("socket"));
        check("postgresql://me@/docs?host=/run/pg", "/run/pg:*:docs:me:socket", Some("socket"));
        check(URL, "db.example:5433:docs:me", None);
    }

    #[test]
    fn a_backslash_escapes() {
        check(URL, r"db.example:5433:docs:me:a\:b\\c", Some(r"a:b\c"));
        check(URL, r"db.example:5433:docs:me:a:b", Some("a:b"));
        check("postgresql://a%3Ab@h/docs", r"h:*:docs:a\:b:x", Some("x"));
        check("postgresql://me@h/docs", r"h:*:docs:\*:x", None);
        check("postgresql://*@h/docs", r"h:*:docs:\*:x", Some("x"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".pgpass");
        std::fs::write(&path, "*:*:*:*:secret\n").unwrap();
        let config: Config = URL.parse().unwrap();
        let home = |name: &str| (name == "HOME").then(|| dir.path().into());
        for (mode, is_used) in [(0o600, true), (0o640, false), (0o604, false)] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let found = find(&config, &home);
            assert_eq!(found.password.is_some(), is_used, "{mode:o}");
            assert_eq!(found.remark.is_some_and(|remark| remark.contains("chmod 600")), !is_used, "{mode:o}");
        }
    }

    #[test]
    fn the_nearest_place_wins() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("passwords");
        std::fs::write(&file, "*:*:*:*:of the file\n").unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let config: Config = URL.parse().unwrap();
        let both = |name: &str| match name {
            "PGPASSWORD" => Some("of the variable".into()),
            "PGPASSFILE" => Some(file.clone().into_os_string()),
            _ => None,
        };
        assert_eq!(find(&config, &both).password.as_deref(), Some(&b"of the variable"[..]));
        let named = |name: &str| both(name).filter(|_| name == "PGPASSFILE");
        assert_eq!(find(&config, &named).password.as_deref(), Some(&b"of the file"[..]));
        assert_eq!(find(&config, &|_| None), Found::default());
    }
}
