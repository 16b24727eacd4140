//! Addresses of databases: read, and shown without what is secret in them.
//!
//! An address may hold a password, in one of two places, and one with a sign that was not escaped ends where nobody expects
//! it. So nothing of an address that was not understood is ever shown, and only host, port and name of one that was.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::password;
use crate::tls::{Encryption, Trust};

/// Parameters that an address may have beside those of encryption, as the library knows them.
const PARAMETERS: [&str; 18] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslnegotiation",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// The address for people: host, port and name of the database, or what is wrong with it.
pub fn shown(url: &str) -> Result<String, String> {
    read(url).map(|(config, _)| place(&config))
}

/// What is wrong with an address before anything is connected, the file of authorities that it names included.
pub fn check(url: &str) -> Result<(), String> {
    read(url)?.1.connector().map(drop)
}

/// How to connect, and how to encrypt that. A password that the address does not have is added, and why one was not found.
pub(crate) fn read_with_password(url: &str) -> Result<(Config, Encryption, Option<String>), String> {
    let (mut config, encryption) = read(url)?;
    if config.get_password().is_some() {
        return Ok((config, encryption, None));
    }
    let found = password::find(&config, &|name| std::env::var_os(name));
    if let Some(password) = found.password {
        config.password(password);
    }
    Ok((config, encryption, found.remark))
}

/// How to connect, and how to encrypt that.
fn read(url: &str) -> Result<(Config, Encryption), String> {
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
        let name = part.split('=').next().unwrap_or_default();
        if !["sslmode", "sslrootcert", ""].contains(&name) && !PARAMETERS.contains(&name) {
            return Err(unknown(name, query));
        }
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

/// A name behind a password may be the rest of it, after a sign that was not escaped.
fn unknown(name: &str, query: &str) -> String {
    let is_name = name.len() < 40 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let known = format!("docent knows sslmode, sslrootcert, {}", PARAMETERS.join(", "));
    match is_name && !query.contains("password") {
        true => format!("has a parameter `{name}` that docent does not know; {known}"),
        false => format!("has a parameter that docent does not know; {known}; in a password write & as %26"),
    }
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
            "postgresql://me:x@host/docs?sslcert=secret",
            "postgresql://host/docs?user=me&password=a&secret=1",
            "postgresql://host/docs?Secret=1",
            "postgresql://me:x@host/docs?sslmode=secret",
        ] {
            let error = shown(url).unwrap_err();
            assert!(!error.to_lowercase().contains("secret") && !error.contains("ret@"), "{error}");
        }
    }

    #[test]
    fn a_parameter_that_is_not_known_is_named() {
        let error = shown("postgresql://me@host/docs?connect_timeout=1&sslcert=/x").unwrap_err();
        assert!(error.contains("`sslcert`") && !error.contains("/x"), "{error}");
        for name in PARAMETERS {
            let value = match name {
                "channel_binding" => "prefer",
                "load_balance_hosts" => "disable",
                "sslnegotiation" => "postgres",
                "target_session_attrs" => "any",
                "hostaddr" => "127.0.0.1",
                _ => "1",
            };
            assert!(shown(&format!("postgresql://me@host/docs?{name}={value}")).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_file_of_authorities_is_looked_at_before_anything_is_connected() {
        let error = check("postgresql://me@host/docs?sslrootcert=/nowhere/ca.crt").unwrap_err();
        assert!(error.contains("/nowhere/ca.crt"), "{error}");
        #[cfg(unix)]
        assert!(check("postgresql://me@host/docs?sslrootcert=/dev/zero").unwrap_err().contains("no file"));
        assert_eq!(check("postgresql://me@host/docs"), Ok(()));
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
