//! Connections are encrypted, and to whom, on a server with a certificate.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docent_index::{Filter, Store, StoreError};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Postgres, put};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// What makes a folder ready for a server that encrypts, and lets nobody in who does not.
const READY: &str = r#"
cd "$dir/data"
umask 077
echo 'ssl = on' >>postgresql.conf
echo '{certificate}' >server.crt
echo '{key}' >server.key
{
    echo 'local all all trust'
    echo 'hostssl all member 127.0.0.1/32 scram-sha-256'
    echo 'hostssl all postgres 127.0.0.1/32 trust'
} >pg_hba.conf
"#;

struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: PathBuf,
}

impl Authority {
    fn new(folder: &Path, name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let file = folder.join(name);
        fs::write(&file, params.self_signed(&key).unwrap().pem()).unwrap();
        Self { issuer: Issuer::new(params, key), file }
    }
}

/// A server with a certificate for `localhost`, which is not all of its names.
fn server(authority: &Authority) -> Option<&'static Postgres> {
    let can_encrypt = |at: &usize| {
        Postgres::server(*at).is_some_and(|server| !server.sql("postgres", "SHOW ssl_library").is_empty())
    };
    let at = (0..3).find(can_encrypt)?;
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority.issuer).unwrap();
    let ready = READY.replace("{certificate}", &certificate.pem()).replace("{key}", &key.serialize_pem());
    Postgres::own(at, &ready, &[])
}

fn open(url: &str) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(url, PostgresOptions::default())
}

#[test]
fn connections_are_as_safe_as_the_address_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    let [ours, other] = ["ours.crt", "other.crt"].map(|name| Authority::new(folder.path(), name));
    let Some(server) = server(&ours) else { return };
    let port = server.port();
    let sql = |statements: &str| server.sql("postgres", statements);
    sql("CREATE ROLE member LOGIN PASSWORD 'sesame'; GRANT CREATE ON DATABASE postgres TO member");
    let url =
        |host: &str, settings: &str| format!("postgresql://member:sesame@{host}:{port}/postgres{settings}");
    let (ours, other) = (ours.file.display(), other.file.display());

    let works = |url: &str| {
        let store = open(url).unwrap_or_else(|error| panic!("{url}: {error}"));
        store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
        assert_eq!(store.snapshot().unwrap().documents(&Filter::default()).len(), 1);
        let encrypted = "SELECT count(*) > 0 AND bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.usename = 'member'";
        assert_eq!(sql(encrypted), "t", "{url}");
    };
    works(&url("127.0.0.1", ""));
    works(&url("127.0.0.1", "?sslmode=require"));
    works(&url("127.0.0.1", "?sslmode=require&channel_binding=require"));
    works(&url("127.0.0.1", &format!("?sslmode=verify-ca&sslrootcert={ours}")));
    works(&url("localhost", &format!("?sslmode=verify-full&sslrootcert={ours}&channel_binding=require")));

    let fails = |url: &str, part: &str| {
        let start = Instant::now();
        let Err(error) = open(url) else { panic!("{url} is not safe") };
        assert!(start.elapsed() < Duration::from_secs(2), "{url}");
        let told = format!("{error}\n{}", error.hint());
        assert!(told.contains(part) && !told.contains("sesame"), "{told}");
        error
    };
    let is_untrusted = |url: &str, part: &str| {
        let error = fails(url, part);
        assert!(matches!(error, StoreError::Untrusted { .. }), "{error:?}");
        assert!(error.hint().contains("sslrootcert=FILE"));
    };
    is_untrusted(&url("127.0.0.1", &format!("?sslmode=verify-full&sslrootcert={ours}")), "another host");
    is_untrusted(
        &url("localhost", &format!("?sslmode=verify-full&sslrootcert={other}")),
        "nobody who is trusted",
    );
    is_untrusted(
        &url("localhost", &format!("?sslmode=verify-ca&sslrootcert={other}")),
        "nobody who is trusted",
    );
    // As for libpq, an authority that is named is asked.
    is_untrusted(
        &url("localhost", &format!("?sslmode=require&sslrootcert={other}")),
        "nobody who is trusted",
    );
    is_untrusted(&url("localhost", "?sslmode=verify-full"), "nobody who is trusted");
    fails(&url("localhost", "?sslmode=disable"), "no encryption");
    let missing = folder.path().join("none.crt");
    fails(&url("localhost", &format!("?sslmode=verify-full&sslrootcert={}", missing.display())), "none.crt");
    fails(&url("localhost", "?sslmode=strict"), "verify-full");

    sql("ALTER SYSTEM SET ssl = off");
    sql("SELECT pg_reload_conf()");
    let start = Instant::now();
    while sql("SHOW ssl") == "on" && start.elapsed() < Duration::from_secs(10) {}
    is_untrusted(&url("localhost", "?sslmode=require"), "does not encrypt");
}
