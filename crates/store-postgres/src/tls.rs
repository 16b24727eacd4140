//! Encrypted connections, and what is asked of a server's certificate.
//!
//! The words are libpq's, and mean what they mean there: `require` encrypts and asks for nothing, `verify-ca` asks who signed
//! the certificate, `verify-full` also whom it is for. Two things differ. Who names no authority trusts those that browsers
//! trust, and a host has to be among the alternative names of a certificate, which is where they have been for decades.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How connections are encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Encryption {
    pub(crate) mode: SslMode,
    pub(crate) trust: Trust,
    /// A file with the certificates of authorities; `None` for those that browsers trust.
    pub(crate) roots: Option<PathBuf>,
}

/// Whose certificate is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    Anybody,
    /// One that was signed by an authority, whatever its name.
    Authority,
    /// One that was signed by an authority for this host.
    Name,
}

impl Default for Encryption {
    fn default() -> Self {
        Self { mode: SslMode::Prefer, trust: Trust::Anybody, roots: None }
    }
}

impl Encryption {
    /// What encrypts connections; an error says what is wrong with the file of authorities.
    pub(crate) fn connector(&self) -> Result<MakeRustlsConnect, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = Verifier::new(self, &provider)?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }
}

/// What is wrong with the way in which a connection would be encrypted, if that is what is wrong.
pub(crate) fn problem(error: &tokio_postgres::Error) -> Option<String> {
    let source = std::error::Error::source(error)?;
    if source.to_string() == "server does not support TLS" {
        return Some(
            "the server does not encrypt connections, and sslmode in the address asks for it".to_owned(),
        );
    }
    let inner = source.downcast_ref::<std::io::Error>()?.get_ref()?;
    Some(match inner.downcast_ref::<TlsError>()? {
        // A bad signature is that of an authority whose certificate was made anew under the same name.
        TlsError::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            "nobody who is trusted signed the server's certificate".to_owned()
        }
        TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "the server's certificate is for another host".to_owned(),
        TlsError::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "the server's certificate has expired".to_owned()
        }
        // One of an authority that nobody named, mostly.
        TlsError::InvalidCertificate(CertificateError::Other(why)) => {
            format!("the server's certificate is not good for one: {why}")
        }
        other => other.to_string(),
    })
}

#[derive(Debug)]
struct Verifier {
    trust: Trust,
    provider: Arc<CryptoProvider>,
    /// `None` where nothing is asked for.
    chain: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates of the file. A server may show one of them itself, also one that is an authority's.
    named: Vec<CertificateDer<'static>>,
}

impl Verifier {
    fn new(encryption: &Encryption, provider: &Arc<CryptoProvider>) -> Result<Self, String> {
        let mut made =
            Self { trust: encryption.trust, provider: provider.clone(), chain: None, named: Vec::new() };
        if encryption.trust == Trust::Anybody || encryption.mode == SslMode::Disable {
            return Ok(made);
        }
        let mut store = RootCertStore::empty();
        match &encryption.roots {
            None => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(path) => {
                made.named = certificates(path)?;
                store.add_parsable_certificates(made.named.iter().cloned());
            }
        }
        let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider.clone()).build();
        made.chain = Some(chain.map_err(|error| format!("has an sslrootcert that cannot be used: {error}"))?);
        Ok(made)
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    // A device may never end.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(format!("has an sslrootcert that cannot be read: {}: it is no file", path.display()));
    }
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(format!("has an sslrootcert without a certificate: {}", path.display())),
        Err(error) => Err(format!("has an sslrootcert that cannot be read: {}: {error}", path.display())),
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        if self.named.contains(end_entity) {
            if self.trust == Trust::Name {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            }
            return Ok(ServerCertVerified::assertion());
        }
        // The name is looked at last: who stumbles there has passed everything else.
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.trust == Trust::Authority => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        match &self.chain {
            Some(chain) => chain.verify_tls12_signature(message, cert, dss),
            // Anybody can sign with a certificate that anybody may make, and old ones do not parse here.
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        match &self.chain {
            Some(chain) => chain.verify_tls13_signature(message, cert, dss),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
