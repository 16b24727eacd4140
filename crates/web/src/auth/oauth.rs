//! Access tokens of an OAuth issuer.

/// Whose access tokens are accepted.
#[derive(Debug, Clone)]
pub struct OAuthConfig {
    /// The issuer, as its tokens name it in `iss`: `https://login.example.com`.
    pub issuer: String,
    /// The URL of the MCP endpoint, which tokens must name in `aud`: `https://docs.example.com/mcp`.
    pub resource: String,
    /// Where the issuer's keys are. `None`: where its metadata says.
    pub jwks_url: Option<String>,
}
