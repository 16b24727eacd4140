//! Addresses of databases: read, and shown without what is secret in them.
//!
//! An address may hold a password, in one of two places, and one with a sign that was not escaped ends where nobody expects
//! it. So nothing of an address that was not understood is ever shown, and only host, port and name of one that was.

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The address for people: host, port and name of the database, or what is wrong with it.
pub fn shown(url: &str) -> Result<String, String> {
    read(url).map(|config| place(&config))
}

pub(crate) fn read(url: &str) -> Result<Config, String> {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let (authority, beyond) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if authority.matches('@').count() > 1 || beyond.contains('@') {
        return Err(
            "has an @ in the wrong place; in a user or password write it as %40, and / as %2F, ? as %3F"
                .to_owned(),
        );
    }
    // The words of the parser quote what they stumbled on.
    url.parse().map_err(|_| "is not an address of a PostgreSQL database".to_owned())
}

pub(crate) fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().map_or_else(String::new, |port| format!(":{port}"));
    format!("postgresql://{host}{port}/{}", config.get_dbname().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_no_password() {
        for (url, expected) in [
            ("postgresql://me:secret@db.example:5433/docs", "postgresql://db.example:5433/docs"),
            ("postgres://db.example/docs?user=me&password=secret", "postgresql://db.example:5432/docs"),
            ("postgresql://me:se%40cret@/docs?host=/run/pg", "postgresql:///run/pg/docs"),
        ] {
            assert_eq!(shown(url).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn an_address_that_is_not_understood_is_not_shown() {
        for url in [
            "postgresql://me:sec@ret@host/docs",
            "postgresql://me:12/secret@host/docs",
            "postgresql://me:12?secret@host/docs",
            "postgresql://me:secret@host:port/docs",
            "postgresql://me:x@host/docs?secret=secret",
        ] {
            let error = shown(url).unwrap_err();
            assert!(!error.contains("secret") && !error.contains("ret@"), "{error}");
        }
    }
}
