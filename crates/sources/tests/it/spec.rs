//! How sources are written, and what is said of those that make no sense.

use std::path::{Path, PathBuf};

use docent_sources::{Package, Place, Spec};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Spec, docent_sources::SourceError> {
    Spec::parse(text, Path::new("/"))
}

/// It reads as `expected`, and what is displayed reads the same.
fn check(text: &str, expected: Spec) {
    let spec = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(spec, expected, "{text}");
    assert_eq!(parse(&spec.to_string()), Ok(spec));
}

/// It is refused as a mistake of the user, with these words in message or hint.
fn refused(text: &str, part: &str) {
    let error = parse(text).expect_err(text);
    let said = format!("{}\nhint: {}", error.message, error.hint);
    assert!(error.is_usage && said.contains(part), "{text}: {said}");
    assert!(!said.replace('\n', "").chars().any(char::is_control), "{said:?}");
}

fn git(url: &str, reference: Option<&str>, folder: Option<&str>) -> Spec {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Spec::Git { url: url.to_owned(), reference: owned(reference), folder: owned(folder) }
}

#[test]
fn repositories() {
    check("git+https://h.org/o/r", git("https://h.org/o/r", None, None));
    check("git+https://h.org/o/r.git#main", git("https://h.org/o/r.git", Some("main"), None));
    check("git+https://h.org/r#v1:docs/en", git("https://h.org/r", Some("v1"), Some("docs/en")));
    check("git+https://h.org/r#:docs/", git("https://h.org/r", None, Some("docs")));
    check("git+https://h.org/r#", git("https://h.org/r", None, None));
    check("git+https://h.org:8443/r", git("https://h.org:8443/r", None, None));
    check("git+http://localhost:3000/r", git("http://localhost:3000/r", None, None));
    check("git+file:///srv/my repo", git("file:///srv/my repo", None, None));
    check("git+ssh://git@h.org/o/r#fix#12", git("ssh://git@h.org/o/r", Some("fix#12"), None));
    check("git+ssh://h.org:22/~/r", git("ssh://h.org:22/~/r", None, None));
}

#[test]
fn repositories_that_make_no_sense() {
    refused("git+http://h.org/r", "https");
    refused("git+https://user:pass@h.org/r", "credential helper");
    refused("git+https://token@h.org/r", "credential helper");
    refused("git+ssh://git:pass@h.org/r", "credential helper");
    refused("git+ssh://-oProxyCommand=id/r", "git+ssh://");
    refused("git+ssh://git@-oProxyCommand=id/r", "git+ssh://");
    refused("git+ssh://h.org", "git+ssh://");
    refused("git+ext::sh -c id", "git+https://");
    refused("git+ext://sh -c id", "cannot be fetched over ext");
    refused("git+fd://17", "cannot be fetched over fd");
    refused("git+git://h.org/r", "cannot be fetched over git");
    refused("git+--upload-pack=id", "git+https://");
    refused("git+https://h.org", "not a repository");
    refused("git+file://host/r", "three slashes");
    refused("git+file:////host/r", "three slashes");
    refused("git+/srv/r", "git+file:///");
    for reference in [
        "--upload-pack=touch /tmp/x",
        "-c core.sshCommand=id",
        "--exec=id",
        "@{-1}",
        "HEAD^{/(a+)+$}",
        "a..b",
        "a b",
        "x.lock",
        "a//b",
        ".x",
        "@",
        "0000000000000000000000000000000000000000",
    ] {
        refused(&format!("git+https://h.org/r#{reference}"), "not a branch, tag or commit");
    }
    refused("git+https://h.org/r#HEAD:../../etc", "not a folder inside");
    refused("git+https://h.org/r#:docs/../..", "not a folder inside");
    refused("git+https://h.org/r#:.git", "not a folder inside");
}

#[test]
fn files_on_the_web() {
    let url = |url: &str| Place::Url(url.to_owned());
    check("https://h.org/manifest.json", Spec::Manifest("https://h.org/manifest.json".to_owned()));
    check("https://h.org/x.json?v=1", Spec::Manifest("https://h.org/x.json?v=1".to_owned()));
    check("http://127.0.0.1:80/x.json", Spec::Manifest("http://127.0.0.1:80/x.json".to_owned()));
    check("https://h.org/x.tar.gz", Spec::Archive(url("https://h.org/x.tar.gz")));
    check("https://h.org/x.tgz", Spec::Archive(url("https://h.org/x.tgz")));
    check("https://h.org/x.docent", Spec::Bundle(url("https://h.org/x.docent")));
}

#[test]
fn addresses_that_make_no_sense() {
    refused("http://h.org/x.json", "use https");
    refused("http://169.254.169.254/x.json", "use https");
    refused("https://user:pass@h.org/x.json", "credential");
    refused("https://github.com/o/r", "git+https://github.com/o/r");
    refused("https://github.com/o/r/tree/main/docs/en", "git+https://github.com/o/r#main:docs/en");
    refused("https://gitlab.com/o/r/-/tree/v1", "git+https://gitlab.com/o/r#v1");
    refused("https://h.org/o/r.git", "git+https://h.org/o/r.git");
    refused("https://h.org/page.html", ".tar.gz");
    refused("ssh://git@h.org/r", "git+ssh://");
    refused("file:///etc/passwd", "path");
    refused("ftp://h.org/x.json", "cannot be fetched over ftp");
    refused("gopher://127.0.0.1:6379/_FLUSHALL", "cannot be fetched over gopher");
    refused("https://", "web address");
    refused("https://exa mple.org/x.json", "U+0020");
    refused("https://a.b\r\nX-Injected: 1/x.json", "control character");
    refused("\0http://127.0.0.1/x.json", "control character");
    refused("https://１２７.0.0.1/x.json", "xn--");
}

#[test]
fn what_other_tools_and_browsers_write_has_a_hint_in_our_words() {
    let hint = |text: &str, expected: &str| {
        let error = parse(text).expect_err(text);
        assert!(
            error.is_usage && error.hint.ends_with(&format!("write {expected}")),
            "{text}: {}",
            error.hint
        );
        assert!(parse(expected).is_ok(), "{expected}");
    };
    hint("github:o/r", "git+https://github.com/o/r");
    hint("github:o/r#v1:docs", "git+https://github.com/o/r#v1:docs");
    hint("github:o/r/docs/en", "git+https://github.com/o/r#:docs/en");
    hint("gitlab:o/r", "git+https://gitlab.com/o/r");
    refused("github:", "git+https://github.com/OWNER/NAME");
    hint("git+https://github.com/o/r/tree/main/docs", "git+https://github.com/o/r#main:docs");
    hint("git+https://github.com/o/r/tree/main", "git+https://github.com/o/r#main");
    hint("git+https://github.com/o/r/blob/main/docs/a.md", "git+https://github.com/o/r#main:docs");
    hint("git+https://gitlab.com/g/s/r/-/tree/v1/docs", "git+https://gitlab.com/g/s/r#v1:docs");
    hint("git+https://codeberg.org/o/r/src/branch/main/docs", "git+https://codeberg.org/o/r#main:docs");
    check("git+https://h.org/o/r/tree/main", git("https://h.org/o/r/tree/main", None, None));
}

#[test]
fn secrets_in_addresses_are_refused_and_not_repeated() {
    for query in [
        "token=s3cret",
        "v=1&access_token=s3cret",
        "key=s3cret",
        "api-key=s3cret",
        "sig=s3cret",
        "X-Amz-Signature=s3cret",
        "X-Amz-Credential=s3cret",
        "private_token=s3cret",
    ] {
        for text in [format!("https://h.org/x.json?{query}"), format!("git+https://h.org/r?{query}#main")] {
            refused(&text, "has a secret in it");
            let error = parse(&text).unwrap_err();
            assert!(!format!("{error} {}", error.hint).contains("s3cret"), "{error}");
        }
    }
    for query in ["v=1", "monkey=1", "tokens=5", "design=2", "q=key"] {
        assert!(parse(&format!("https://h.org/x.json?{query}")).is_ok(), "{query}");
    }
}

#[test]
fn packages() {
    let rust = |name: &str, version: Option<&str>| {
        Spec::Package(Package::RustCrate { name: name.to_owned(), version: version.map(str::to_owned) })
    };
    check("rust-crate:serde", rust("serde", None));
    check("rust-crate:serde@1.0", rust("serde", Some("1.0")));
    check("npm:react", Spec::Package(Package::Npm("react".to_owned())));
    check("npm:@types/node", Spec::Package(Package::Npm("@types/node".to_owned())));
    check("pypi:zope.interface", Spec::Package(Package::PyPi("zope.interface".to_owned())));
    for page in ["printf", "printf.3", "3", "3p", "*", "git-commit", "Foo::Bar.3pm", "["] {
        check(&format!("man:{page}"), Spec::Package(Package::Man(page.to_owned())));
    }
    for text in [
        "rust-crate:",
        "rust-crate:../x",
        "rust-crate:x@",
        "npm:",
        "npm:../x",
        "npm:@a",
        "npm:a/b",
        "npm:.bin",
        "pypi:",
        "pypi:a/b",
        "pypi:-r",
        "man:",
        "man:../x",
        "man:a/b",
        "man:-k",
    ] {
        refused(text, "not a package");
    }
    refused("npm:react@18", "installed in node_modules");
    refused("pypi:requests@1.0", "names a version");
    refused("pypi:requests==1.0", "what is installed counts");
}

#[test]
fn paths_are_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(here.join("docs/npm:x")).unwrap();
    for file in ["a.md", "x.tar.gz", "x.TGZ", "x.docent", "x.zip"] {
        std::fs::write(here.join(file), "").unwrap();
    }
    let check = |text: &str, expected: Spec| {
        let spec = Spec::parse(text, &here).unwrap();
        assert_eq!(spec, expected, "{text}");
        assert_eq!(Spec::parse(&spec.to_string(), Path::new("/elsewhere")), Ok(spec));
    };
    let path = |name: &str| Place::Path(here.join(name));
    check("docs", Spec::Folder(here.join("docs")));
    check("./docs/", Spec::Folder(here.join("docs")));
    check("docs/../docs", Spec::Folder(here.join("docs")));
    check(".", Spec::Folder(here.clone()));
    check("docs/npm:x", Spec::Folder(here.join("docs/npm:x")));
    check("a.md", Spec::File(here.join("a.md")));
    check("x.tar.gz", Spec::Archive(path("x.tar.gz")));
    check("x.TGZ", Spec::Archive(path("x.TGZ")));
    check("x.docent", Spec::Bundle(path("x.docent")));
    let refused = |text: &str, part: &str| {
        let error = Spec::parse(text, &here).unwrap_err();
        assert!(error.is_usage && format!("{error} {}", error.hint).contains(part), "{error} {}", error.hint);
    };
    refused("x.zip", "unpack it");
    refused("nowhere", "no such file");
    refused("", "empty");
    refused(" ", "empty");
    refused("--upload-pack=x", "looks like an option");
    refused("git@github.com:o/r.git", "git+ssh://git@github.com/o/r.git");
    refused("github.com/o/r", "git+https://github.com/o/r");
    refused("~/docs", "not expanded");
}

#[test]
fn names_are_suggested() {
    let check = |spec: Spec, name: Option<&str>| assert_eq!(spec.suggested_name().as_deref(), name, "{spec}");
    check(Spec::Folder(PathBuf::from("/a/docs")), Some("docs"));
    check(Spec::Folder(PathBuf::from("/")), None);
    check(Spec::File(PathBuf::from("/a/guide.md")), Some("guide"));
    check(git("https://h.org/o/r.git", None, None), Some("r"));
    check(git("file:///srv/r/", None, None), Some("r"));
    check(Spec::Manifest("https://h.org/guide/manifest.json?x".to_owned()), Some("guide"));
    check(Spec::Archive(Place::Url("https://h.org/x-1.0.tar.gz".to_owned())), Some("x-1.0"));
    check(Spec::Bundle(Place::Path(PathBuf::from("/x.docent"))), Some("x"));
    check(parse("npm:@types/node").unwrap(), Some("@types/node"));
    assert!(Spec::Folder(PathBuf::from("/")).is_live() && !parse("npm:x").unwrap().is_live());
}

proptest! {
    #[test]
    fn what_is_displayed_reads_back(text in "(git\\+)?(https://|ssh://git@|file:///|npm:@?|man:|rust-crate:|pypi:)[a-z./@:#?*~-]{0,30}(\\.json|\\.tgz|\\.docent|#v[0-9./:a-z]{1,9})?") {
        if let Ok(spec) = parse(&text) {
            prop_assert_eq!(parse(&spec.to_string()), Ok(spec));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        if let Ok(spec) = parse(&text) {
            prop_assert_eq!(parse(&spec.to_string()), Ok(spec));
        }
    }
}
