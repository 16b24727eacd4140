//! Reads what a user wrote after `docent add NAME`, and says what to write instead where it makes no sense.
//!
//! The beginning decides: `git+`, a package kind, a scheme. Everything else is a path, and what is there decides.

use std::path::{Path, PathBuf};

use crate::web::{Address, check_letters, credentials_in, is_host};
use crate::{Package, Place, SourceError, Spec, names};

/// Hosts whose plain addresses are repositories.
const FORGES: &[&str] = &["github.com", "gitlab.com", "codeberg.org", "bitbucket.org"];

pub(crate) fn parse(text: &str, here: &Path) -> Result<Spec, SourceError> {
    if text.trim().is_empty() {
        let hint =
            "give a folder, a file, git+https://…, https://…/manifest.json or a package such as npm:react";
        return Err(SourceError::usage("the source is empty", hint));
    }
    if let Some(odd) = text.chars().find(|c| c.is_control()) {
        let message = format!("the source has a control character, U+{:04X}", u32::from(odd));
        return Err(SourceError::usage(message, "leave it out"));
    }
    secret_in(text)?;
    if let Some(rest) = text.strip_prefix("git+") {
        return git(rest);
    }
    if let Some((kind, name)) = text.split_once(':')
        && matches!(kind, "rust-crate" | "npm" | "pypi" | "man")
    {
        return package(kind, name).map(Spec::Package);
    }
    if let Some((forge, rest)) = text.split_once(':')
        && let Some(host) = FORGES.iter().find(|host| host.split('.').next() == Some(forge))
        && !rest.starts_with("//")
    {
        let message = format!("{text} does not say how it is fetched");
        return Err(SourceError::usage(message, format!("write {}", on_forge(host, rest))));
    }
    match text.split_once("://") {
        Some((scheme, _)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) => {
            web(scheme, text)
        }
        _ => path(text, here),
    }
}

fn git(text: &str) -> Result<Spec, SourceError> {
    let (url, place) = text.split_once('#').unwrap_or((text, ""));
    let (reference, folder) = place.split_once(':').unwrap_or((place, ""));
    let Some((scheme, rest)) = url.split_once("://") else {
        let hint = "write git+https://host/path, git+ssh://git@host/path or git+file:///path";
        return Err(SourceError::usage(format!("not the address of a repository: {url}"), hint));
    };
    match scheme {
        "https" | "http" => {
            let address = Address::parse(url)?;
            if let Some(folder) = folder_at(&address) {
                let message = format!("{url} is the page of a folder, not a repository");
                return Err(SourceError::usage(message, format!("write {folder}")));
            }
            if address.path().trim_matches('/').is_empty() {
                let message = format!("{url} names a host, not a repository");
                return Err(SourceError::usage(message, "write git+https://host/path/of/repository"));
            }
        }
        "ssh" => ssh(url, rest)?,
        "file" if rest.starts_with('/') && !rest.starts_with("//") => {}
        "file" => {
            let message = format!("the path of {url} is not absolute");
            return Err(SourceError::usage(
                message,
                "write git+file:///path/of/repository, with three slashes",
            ));
        }
        _ => {
            let message = format!("repositories cannot be fetched over {scheme}");
            return Err(SourceError::usage(message, "use git+https://, git+ssh:// or git+file://"));
        }
    }
    let folder = folder.trim_matches('/');
    if !reference.is_empty() {
        check_reference(reference)?;
    }
    if !folder.is_empty() {
        names::check(folder.as_bytes()).map_err(|refusal| {
            let message = format!("not a folder inside a repository: {folder} ({refusal})");
            SourceError::usage(
                message,
                "give the folder from the root of the repository, as in #main:docs/guide",
            )
        })?;
    }
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(Spec::Git { url: url.to_owned(), reference: some(reference), folder: some(folder) })
}

/// `ssh://[user@]host[:port]/path`, of which nothing can be taken for an option of ssh.
fn ssh(url: &str, rest: &str) -> Result<(), SourceError> {
    check_letters(url)?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if user.is_some_and(|user| user.contains(':')) {
        return Err(credentials_in(url));
    }
    let (host, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_user = |user: &str| {
        !user.is_empty()
            && !user.starts_with('-')
            && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    let is_fine = is_host(host)
        && user.is_none_or(is_user)
        && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
        && !path.is_empty()
        && !path.starts_with('-');
    if is_fine {
        return Ok(());
    }
    Err(SourceError::usage(
        format!("not the address of a repository: {url}"),
        "write git+ssh://git@host/path/of/repository",
    ))
}

/// The rules of git for names of branches and tags; commits fit them too.
fn check_reference(reference: &str) -> Result<(), SourceError> {
    let has_odd_part = reference
        .split('/')
        .any(|part| part.is_empty() || part.starts_with('.') || part.to_ascii_lowercase().ends_with(".lock"));
    let is_wrong = reference.len() > 255
        || reference.starts_with('-')
        || reference.ends_with('.')
        || reference == "@"
        || reference.contains("..")
        || reference.contains("@{")
        || reference.contains(|c: char| c.is_whitespace() || "~^:?*[\\".contains(c))
        || has_odd_part
        || (reference.len() >= 40 && reference.bytes().all(|byte| byte == b'0'));
    if is_wrong {
        let message = format!("not a branch, tag or commit: {reference}");
        return Err(SourceError::usage(
            message,
            "write it after the address, as in git+https://host/repo#main",
        ));
    }
    Ok(())
}

fn package(kind: &str, name: &str) -> Result<Package, SourceError> {
    let plain = |name: &str, more: &[u8]| {
        !name.is_empty()
            && name.len() <= 214
            && !name.starts_with('-')
            && !name.contains("..")
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    let refused = |hint: &str| {
        Err(SourceError::usage(format!("not a package: {kind}:{name}"), format!("write {hint}")))
    };
    match kind {
        "rust-crate" => {
            let (name, version) = name.split_once('@').map_or((name, None), |(name, v)| (name, Some(v)));
            if !plain(name, b"-_") || !version.is_none_or(|version| plain(version, b".+-")) {
                return refused("rust-crate:NAME or rust-crate:NAME@VERSION");
            }
            Ok(Package::RustCrate { name: name.to_owned(), version: version.map(str::to_owned) })
        }
        "npm" => {
            let scoped = name.strip_prefix('@').map(|name| name.split_once('/').unwrap_or((name, "")));
            let (scope, own) = scoped.map_or((None, name), |(scope, own)| (Some(scope), own));
            if own.contains('@') {
                let message = format!("npm:{name} names a version");
                let hint = "leave it out: the version that is installed in node_modules is used";
                return Err(SourceError::usage(message, hint));
            }
            let is_part = |part: &str| plain(part, b"-_.~") && !part.starts_with('.');
            if !is_part(own) || !scope.is_none_or(is_part) {
                return refused("npm:NAME or npm:@SCOPE/NAME");
            }
            Ok(Package::Npm(name.to_owned()))
        }
        "pypi" if name.contains('@') || name.contains("==") => Err(SourceError::usage(
            format!("pypi:{name} names a version"),
            "leave it out: what is installed counts",
        )),
        "pypi" if plain(name, b"-_.") && !name.starts_with('.') => Ok(Package::PyPi(name.to_owned())),
        "pypi" => refused("pypi:NAME"),
        _ if name == "*" || plain(name, b"-_.+:@[,") => Ok(Package::Man(name.to_owned())),
        _ => refused("man:NAME, man:NAME.SECTION, man:SECTION or man:*"),
    }
}

fn web(scheme: &str, text: &str) -> Result<Spec, SourceError> {
    match scheme.to_ascii_lowercase().as_str() {
        "https" | "http" => {}
        "ssh" | "git" | "file" => {
            let message = format!("{text} does not say what is there");
            let hint = match scheme {
                "file" => "give a path for a folder, or git+file:///… for a repository",
                _ => "for a repository write git+https://… or git+ssh://…",
            };
            return Err(SourceError::usage(message, hint));
        }
        _ => {
            let message = format!("documents cannot be fetched over {scheme}");
            return Err(SourceError::usage(message, "use https://, git+https:// or git+ssh://"));
        }
    }
    let address = Address::parse(text)?;
    let path = address.path().to_ascii_lowercase();
    if path.ends_with(".json") {
        Ok(Spec::Manifest(text.to_owned()))
    } else if path.ends_with(".tar.gz") || path.ends_with(".tgz") {
        Ok(Spec::Archive(Place::Url(text.to_owned())))
    } else if path.ends_with(".docent") {
        Ok(Spec::Bundle(Place::Url(text.to_owned())))
    } else if let Some(repository) = repository_at(&address) {
        let message = format!("{text} is the page of a repository");
        Err(SourceError::usage(message, format!("to fetch the repository write {repository}")))
    } else {
        let message = format!("{text} is neither a manifest, an archive nor a bundle");
        let hint = "addresses end in .json, .tar.gz, .tgz or .docent; a repository is written git+https://…";
        Err(SourceError::usage(message, hint))
    }
}

/// `github:owner/name`, as other tools write it, in our words.
fn on_forge(host: &str, rest: &str) -> String {
    let (path, place) = rest.split_once('#').map_or((rest, None), |(path, place)| (path, Some(place)));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match (parts.as_slice(), place) {
        ([_, _], Some(place)) => format!("git+https://{host}/{}#{place}", parts.join("/")),
        ([owner, name], None) => format!("git+https://{host}/{owner}/{name}"),
        ([owner, name, folder @ ..], _) => format!("git+https://{host}/{owner}/{name}#:{}", folder.join("/")),
        _ => format!("git+https://{host}/OWNER/NAME"),
    }
}

/// How the repository is written that a browser shows at `address`.
fn repository_at(address: &Address) -> Option<String> {
    let parts: Vec<&str> = address.path().split('/').filter(|part| !part.is_empty()).collect();
    if parts.last()?.ends_with(".git") {
        return Some(format!("git+{}/{}", address.origin(), parts.join("/")));
    }
    let (true, [owner, name, ..]) = (FORGES.contains(&address.host().as_str()), parts.as_slice()) else {
        return None;
    };
    folder_at(address).or_else(|| Some(format!("git+{}/{owner}/{name}", address.origin())))
}

/// How the folder or file is written that a browser shows at `address`: `/owner/name/tree/main/docs`, or with groups in
/// groups and a `-` behind them.
fn folder_at(address: &Address) -> Option<String> {
    if !FORGES.contains(&address.host().as_str()) {
        return None;
    }
    let parts: Vec<&str> = address.path().split('/').filter(|part| !part.is_empty()).collect();
    let end = parts.iter().position(|part| *part == "-").unwrap_or(2);
    let (repository, rest) = parts.split_at_checked(end.max(2))?;
    let rest = rest.strip_prefix(&["-"]).unwrap_or(rest);
    let (branch, folder) = match rest {
        ["tree", branch, folder @ ..] | ["src", "branch" | "tag" | "commit", branch, folder @ ..] => {
            (branch, folder)
        }
        ["blob", branch, folder @ .., _] => (branch, folder),
        _ => return None,
    };
    let repository = format!("git+{}/{}#{branch}", address.origin(), repository.join("/"));
    Some(if folder.is_empty() { repository } else { format!("{repository}:{}", folder.join("/")) })
}

/// Refuses an address whose query holds what should stay secret; the value is not repeated.
fn secret_in(text: &str) -> Result<(), SourceError> {
    let Some((place, query)) = text.split_once('?') else { return Ok(()) };
    // Credentials before the host are refused elsewhere, without showing them.
    if !place.contains("://") || place.contains('@') {
        return Ok(());
    }
    let query = query.split('#').next().unwrap_or(query);
    for name in query.split(['&', ';']).map(|pair| pair.split('=').next().unwrap_or(pair)) {
        let lower = name.to_ascii_lowercase().replace('-', "_");
        let is_secret = matches!(lower.as_str(), "key" | "sig" | "auth" | "jwt")
            || ["token", "secret", "signature", "password", "credential", "apikey", "api_key", "access_key"]
                .iter()
                .any(|end| lower.ends_with(end));
        if is_secret {
            return Err(SourceError::usage(
                format!("the address {place} has a secret in it: {name}=…"),
                "leave it out, it would end up in settings and logs; download the file yourself and add it from disk",
            ));
        }
    }
    Ok(())
}

fn path(text: &str, here: &Path) -> Result<Spec, SourceError> {
    if text.starts_with('-') {
        let message = format!("{text} looks like an option");
        return Err(SourceError::usage(message, format!("for a path write ./{text}")));
    }
    let path = clean(&here.join(text));
    let Ok(data) = std::fs::metadata(&path) else {
        return Err(SourceError::usage(format!("no such file or folder: {}", path.display()), missing(text)));
    };
    if data.is_dir() {
        return Ok(Spec::Folder(path));
    }
    if !data.is_file() {
        let message = format!("{} is neither a file nor a folder", path.display());
        return Err(SourceError::usage(message, "give a folder or a document"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
        Ok(Spec::Archive(Place::Path(path)))
    } else if name.ends_with(".docent") {
        Ok(Spec::Bundle(Place::Path(path)))
    } else if [".zip", ".tar", ".7z", ".tar.xz", ".tar.bz2", ".tar.zst"].iter().any(|end| name.ends_with(end))
    {
        let message = format!("{} is an archive of a kind that is not read", path.display());
        Err(SourceError::usage(message, "unpack it and add the folder, or make a .tar.gz of it"))
    } else {
        Ok(Spec::File(path))
    }
}

/// What may have been meant by a path that is not there.
fn missing(text: &str) -> String {
    if let Some((who, rest)) = text.split_once('@')
        && let Some((host, path)) = rest.split_once(':')
        && is_host(host)
        && !who.contains('/')
    {
        return format!("for a repository write git+ssh://{who}@{host}/{}", path.trim_start_matches('/'));
    }
    if text.starts_with('~') {
        return "~ is not expanded here: give the whole path".to_owned();
    }
    let first = text.split('/').next().unwrap_or(text);
    if first.contains('.') && text.contains('/') && is_host(first) && !first.starts_with('.') {
        return format!(
            "check the path, or for something on the web write git+https://{text} or https://{text}"
        );
    }
    "check the path; relative ones start at the folder that the command runs in".to_owned()
}

/// The absolute path, without `.`, and without `..` where that does not change what it leads to.
fn clean(path: &Path) -> PathBuf {
    use std::path::Component;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut short = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                short.pop();
            }
            part => short.push(part),
        }
    }
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    if short == absolute || same(&short).is_some_and(|there| Some(there) == same(&absolute)) {
        return short;
    }
    absolute
}
