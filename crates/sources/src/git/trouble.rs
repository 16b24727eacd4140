//! What git says when it fails, as a message and a next step.

use super::command::Failure;
use crate::SourceError;

/// The error for a person.
pub(super) fn explain(failure: Failure, url: &str) -> SourceError {
    let failed = |message: String, hint: &str| SourceError::failed(message, hint);
    match failure {
        Failure::NotInstalled => failed(
            "the program git is not installed".to_owned(),
            "install git, or add the documents as a folder or archive",
        ),
        Failure::Io(error) => {
            failed(format!("git cannot be started: {error}"), "check that `git --version` works")
        }
        Failure::Stalled(time) => failed(
            format!("{url} sent nothing for {} seconds", time.as_secs()),
            "check the address and the network, and try again",
        ),
        Failure::Slow(time) => failed(
            format!("{url} was not fetched within {} minutes", time.as_secs() / 60),
            "try again where the network is faster, or clone the repository and add the folder",
        ),
        Failure::TooLarge => failed(
            format!("the repository {url} is too large"),
            "clone it yourself and add the folder with the documents",
        ),
        Failure::Endless(what) => failed(
            format!("the repository {url} {what}"),
            "fetch one folder of it, as in #main:docs, or clone it yourself and add that folder",
        ),
        Failure::Cancelled => SourceError::cancelled(),
        Failure::Failed(said) => refused(&said, url),
    }
}

fn refused(said: &str, url: &str) -> SourceError {
    let lower = said.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    let (what, hint) = if has(&[
        "could not read username",
        "could not read password",
        "authentication failed",
        "terminal prompts disabled",
        "permission denied (publickey",
        "host key verification failed",
        "http 401",
        "http 403",
        "error: 401",
        "error: 403",
        "invalid username or",
    ]) {
        (
            "wants to know who you are",
            "check that the repository exists, and that `git ls-remote` works there without a question: set up a credential helper, or a key for ssh",
        )
    } else if has(&[
        "could not resolve host",
        "could not resolve proxy",
        "failed to connect",
        "connection refused",
        "network is unreachable",
        "connection timed out",
        "no route to host",
        "couldn't connect",
        "name or service not known",
        "operation timed out",
        "temporary failure in name resolution",
        "operation too slow",
    ]) {
        ("cannot be reached", "check the address and the network, and try again")
    } else if has(&["detected dubious ownership", "safe.directory"]) {
        (
            "belongs to another user",
            "run `git config --global --add safe.directory` with its path if you trust it",
        )
    } else if has(&["mismatched algorithms", "unsupported hash", "objectformat", "object-format"]) {
        (
            "names its commits with another hash (SHA-256) than copies of ours can hold",
            "clone it yourself and add the folder with the documents",
        )
    } else if has(&[
        "repository corruption",
        "is corrupt",
        "is damaged",
        "bad tree object",
        "bad object",
        "data stream error",
        "did not send all necessary objects",
        "not our ref",
    ]) {
        (
            "is damaged",
            "run `git fsck` where the repository is, or tell whoever runs the server; a whole clone can be added as a folder",
        )
    } else if has(&[
        "repository not found",
        "does not appear to be a git repository",
        "does not exist",
        "not found",
        "no such file or directory",
        "not a git repository",
    ]) {
        ("is not a repository", "check the address; a private repository may look as if it were not there")
    } else if has(&["certificate", "ssl", "tls"]) {
        (
            "has a certificate that is not trusted",
            "for an own certificate authority set http.sslCAInfo in the configuration of git",
        )
    } else if has(&["transport '"]) {
        ("leads to a transport that is not allowed", "check url.….insteadOf in the configuration of git")
    } else {
        ("could not be fetched", "check that `git ls-remote` works with this address")
    };
    SourceError::failed(format!("{url} {what}{}", last_line(said)), hint)
}

/// The last thing that git said, safe to show: no control characters, not too long.
fn last_line(said: &str) -> String {
    let mut lines = said.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let is_advice = |line: &str| {
        let line = line.to_lowercase();
        line.starts_with("and the repository exists")
            || line.starts_with("please make sure")
            || line.starts_with("hint:")
    };
    let Some(line) = lines.rfind(|line| !is_advice(line)) else { return String::new() };
    let line: String = line.chars().filter(|c| !c.is_control()).take(300).collect();
    if line.is_empty() { String::new() } else { format!(" (git says: {line})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, part: &str) {
        let error = explain(Failure::Failed(said.to_owned()), "https://h/r");
        assert!(error.message.contains(part), "{error}");
        assert!(!error.message.chars().any(char::is_control), "{error:?}");
    }

    #[test]
    fn repositories_that_cannot_be_fetched_as_they_are_have_a_hint_of_their_own() {
        let check = |said: &str, part: &str, step: &str| {
            let error = explain(Failure::Failed(said.to_owned()), "https://h/r");
            assert!(error.message.contains(part) && error.hint.contains(step), "{error} {}", error.hint);
            assert!(!error.hint.contains("ls-remote"), "{}", error.hint);
        };
        check("fatal: mismatched algorithms: client sha1; server sha256", "SHA-256", "clone it yourself");
        let corrupt = "remote: fatal: loose object 65a5 (stored in ./objects/65/a5) is corrupt\n\
            remote: aborting due to possible repository corruption on the remote side.\n\
            fatal: protocol error: bad pack header";
        check(corrupt, "is damaged", "git fsck");
        check("remote: fatal: bad tree object 65a5\nfatal: x", "is damaged", "git fsck");
        check("fatal: remote error: upload-pack: not our ref 6961", "is damaged", "git fsck");
        let endless = explain(Failure::Endless("has more than 7 documents".to_owned()), "https://h/r");
        assert!(endless.message.contains("https://h/r has more than 7 documents"), "{endless}");
    }

    #[test]
    fn what_git_says_becomes_a_message() {
        check("fatal: unable to access 'https://h/r/': Could not resolve host: h\n", "cannot be reached");
        check(
            "remote: Repository not found.\nfatal: repository 'https://h/r/' not found",
            "is not a repository",
        );
        check("fatal: could not read Username for 'https://h': terminal prompts disabled", "who you are");
        check("fatal: Authentication failed for 'https://u:secret@h/r'", "who you are");
        check("fatal: detected dubious ownership in repository at '/x'", "another user");
        check("fatal: transport 'ext' not allowed", "not allowed");
        check("\u{1b}[31mfatal: something\u{7} new\r\n", "git says: [31mfatal: something new");
        check("", "could not be fetched");
        let error = explain(Failure::Failed("x https://u:secret@h/r y".to_owned()), "https://h/r");
        assert!(!error.message.contains("secret"), "{error}");
    }
}
