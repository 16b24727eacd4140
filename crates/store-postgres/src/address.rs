//! Addresses of databases: read, and shown without what is secret in them.
//!
//! An address may hold a password, in one of two places, and one with a sign that was not escaped ends where nobody expects
//! it. So nothing of an address that was not understood is ever shown, and only host, port and name of one that was.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::tls::{Encryption, Trust};

/// The address for people: host, port and name of the database, or what is wrong with it.
pub fn shown(url: &str) -> Result<String, String> {
    read(url).map(|(config, _)| place(&config))
}

/// How to connect, and how to encrypt that.
pub(crate) fn read(url: &str) -> Result<(Config, Encryption), String> {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let (authority, beyond) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if authority.matches('@').count() > 1 || beyond.contains('@') {
        return Err(
            "has an @ in the wrong place; in a user or password write it as %40, and / as %2F, ? as %3F"
                .to_owned(),
        );
    }
    let (plain, encryption) = parted(url)?;
    // The words of the parser quote what they stumbled on.
    let mut config: Config =
        plain.parse().map_err(|_| "is not an address of a PostgreSQL database".to_owned())?;
    // No server encrypts what passes through its socket.
    let is_socket = |host: &Host| !matches!(host, Host::Tcp(_));
    let is_local = !config.get_hosts().is_empty() && config.get_hosts().iter().all(is_socket);
    config.ssl_mode(if is_local { SslMode::Disable } else { encryption.mode });
    Ok((config, encryption))
}

/// The address without what it says of encryption, of which the library knows less than half, and that.
fn parted(url: &str) -> Result<(String, Encryption), String> {
    let mut encryption = Encryption::default();
    let Some((base, query)) = url.split_once('?') else { return Ok((url.to_owned(), encryption)) };
    let mut mode = None;
    let mut others = Vec::new();
    for part in query.split('&') {
        match part.split_once('=') {
            Some(("sslmode", name)) => mode = Some(name),
            Some(("sslrootcert", path)) => {
                encryption.roots = Some(PathBuf::from(&*percent_decode_str(path).decode_utf8_lossy()));
            }
            _ => others.push(part),
        }
    }
    // The word by which libpq means the authorities that everybody trusts, whose certificates are worth nothing unread.
    let is_public = encryption.roots.take_if(|path| path.as_os_str() == "system").is_some();
    (encryption.mode, encryption.trust) = match mode {
        None | Some("allow" | "prefer") => (SslMode::Prefer, Trust::Anybody),
        Some("disable") => (SslMode::Disable, Trust::Anybody),
        Some("require") => (SslMode::Require, Trust::Anybody),
        Some("verify-ca") => (SslMode::Require, Trust::Authority),
        Some("verify-full") => (SslMode::Require, Trust::Name),
        Some(_) => {
            return Err("has an sslmode that is none of disable, prefer, require, verify-ca and verify-full"
                .to_owned());
        }
    };
    // Who names an authority wants it to be asked.
    if is_public && encryption.mode != SslMode::Disable {
        (encryption.mode, encryption.trust) = (SslMode::Require, Trust::Name);
    } else if encryption.roots.is_some() && encryption.trust == Trust::Anybody {
        encryption.trust = Trust::Authority;
    }
    let plain = match others.is_empty() {
        true => base.to_owned(),
        false => format!("{base}?{}", others.join("&")),
    };
    Ok((plain, encryption))
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
            ("postgresql://me:x@h/docs?sslmode=verify-full&password=secret", "postgresql://h:5432/docs"),
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
            "postgresql://me:x@host/docs?sslmode=secret",
        ] {
            let error = shown(url).unwrap_err();
            assert!(!error.contains("secret") && !error.contains("ret@"), "{error}");
        }
    }

    #[test]
    fn an_address_says_how_to_encrypt() {
        let check = |query: &str, mode: SslMode, trust: Trust, roots: Option<&str>| {
            let (config, encryption) = read(&format!("postgresql://me@db.example/docs{query}")).unwrap();
            assert_eq!(config.get_ssl_mode(), mode, "{query}");
            assert_eq!((encryption.trust, encryption.roots), (trust, roots.map(PathBuf::from)), "{query}");
        };
        check("", SslMode::Prefer, Trust::Anybody, None);
        check("?connect_timeout=1", SslMode::Prefer, Trust::Anybody, None);
        check("?sslmode=disable", SslMode::Disable, Trust::Anybody, None);
        check("?sslmode=require&connect_timeout=1", SslMode::Require, Trust::Anybody, None);
        check("?sslmode=verify-ca", SslMode::Require, Trust::Authority, None);
        check("?connect_timeout=1&sslmode=verify-full", SslMode::Require, Trust::Name, None);
        check("?sslrootcert=system", SslMode::Require, Trust::Name, None);
        check("?sslmode=require&sslrootcert=system", SslMode::Require, Trust::Name, None);
        check("?sslmode=verify-full&sslrootcert=/a%20b", SslMode::Require, Trust::Name, Some("/a b"));
        check("?sslmode=require&sslrootcert=/x", SslMode::Require, Trust::Authority, Some("/x"));
        check("?host=/run/pg&sslmode=require", SslMode::Require, Trust::Anybody, None);
        let (config, _) = read("postgresql:///docs?host=/run/pg&sslmode=require").unwrap();
        assert_eq!(config.get_ssl_mode(), SslMode::Disable);
    }
}
