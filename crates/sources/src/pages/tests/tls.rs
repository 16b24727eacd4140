//! Certificates: there is no way around a bad one.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use ureq::tls::{Certificate, RootCerts};

use super::server::{Server, ok, reply};
use super::{PUBLIC, World, port};

/// A server with this certificate, in a world that trusts this authority.
fn world(
    certificate: CertificateDer<'static>,
    key: &KeyPair,
    authority: &CertificateDer<'_>,
    answer: Vec<u8>,
) -> World {
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for tcp in listener.incoming().flatten() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, tcp);
            if stream.read(&mut [0; 4096]).is_ok() {
                let _ = stream.write_all(&answer);
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    let mut world = World::new().name("public.test", &[&[PUBLIC]]).at(PUBLIC, port);
    let trusted = Certificate::from_der(authority).to_owned();
    world.diversion.roots = Some(RootCerts::from(std::iter::once(trusted)));
    world
}

struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap().der().clone();
        Self { issuer: Issuer::new(params, key), certificate }
    }

    /// A world in which `public.test` has a certificate for this name, valid to the end of a year.
    fn world(&self, name: &str, until: i32, answer: Vec<u8>) -> World {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until, 12, 31);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        world(certificate.der().clone(), &key, &self.certificate, answer)
    }
}

#[test]
fn certificates_must_be_valid() {
    let authority = Authority::new();
    let refused = |world: &World, part: &str| {
        let error = world.refusal("https://public.test/");
        assert!(error.message.contains("cannot be trusted") && error.message.contains(part), "{error}");
        assert!(error.hint.contains("certificate"), "{error:?}");
    };
    assert_eq!(authority.world("public.test", 4000, ok(b"x")).page("https://public.test/").bytes, b"x");
    refused(&authority.world("public.test", 2001, ok(b"x")), "expired");
    refused(&authority.world("other.test", 4000, ok(b"x")), "not valid for");
    let key = KeyPair::generate().unwrap();
    let signed = CertificateParams::new(vec!["public.test".to_owned()]).unwrap().self_signed(&key).unwrap();
    refused(&world(signed.der().clone(), &key, &authority.certificate, ok(b"x")), "");
    // Without a test's own authority those of the system of the web count.
    let mut untrusted = authority.world("public.test", 4000, ok(b"x"));
    untrusted.diversion.roots = None;
    refused(&untrusted, "UnknownIssuer");
}

#[test]
fn https_is_not_left_for_http() {
    let plain = Server::start(|_| ok(b"x"));
    let away = reply("302 Found", "Location: http://plain.test/", b"");
    let world = Authority::new()
        .world("public.test", 4000, away)
        .name("plain.test", &[&["1.1.1.1"]])
        .at("1.1.1.1", port(&plain));
    let said = world.refusal("https://public.test/");
    assert!(said.message.contains("redirects from https to http"), "{said}");
    assert!(plain.requests().is_empty());
    let plain = Server::start(|_| ok(b"x"));
    let world = World::public(&plain);
    assert!(world.refusal("https://public.test/").message.contains("cannot be"));
}
