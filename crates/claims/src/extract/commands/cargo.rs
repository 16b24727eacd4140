//! Cargo: packages, targets, features and aliases.

use super::programs::after;
use super::{Command, bare, option};
use crate::extract::placeholders::is_placeholder;
use crate::extract::shell::Word;

/// Cargo's own commands; others are aliases of the repository or programs that somebody installed.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "add", "b", "bench", "build", "c", "check", "clean", "clippy", "config", "d", "doc", "expand", "fetch",
    "fix", "fmt", "generate-lockfile", "help", "info", "init", "install", "locate-project", "login",
    "logout", "metadata", "miri", "new", "owner", "package", "pkgid", "publish", "r", "read-manifest",
    "remove", "report", "rm", "run", "rustc", "rustdoc", "search", "t", "test", "tree", "uninstall",
    "update", "vendor", "verify-project", "version", "yank",
];

/// Programs that many people have installed.
#[rustfmt::skip]
const PLUGINS: &[&str] = &[
    "about", "all-features", "asm", "audit", "auditable", "b", "binstall", "bisect-rustc", "bloat",
    "bolero", "chef", "codspeed", "component", "crev", "criterion", "cross", "deb", "deny", "depgraph",
    "dinghy", "dist", "dylint", "edit", "flamegraph", "fuzz", "geiger", "generate", "generate-rpm", "hack",
    "insta", "instruments", "lambda", "leptos", "license", "llvm-cov", "llvm-lines", "machete", "make",
    "modules", "msrv", "mutants", "ndk", "nextest", "outdated", "pgo", "public-api", "ra-salsa", "rdme",
    "readme", "release", "semver-checks", "set-version", "shear", "show-asm", "smart-release", "sort",
    "sqlx", "tarpaulin", "tauri", "udeps", "upgrade", "vet", "wasi", "watch", "workspaces", "xwin",
    "zigbuild",
];

impl Command<'_, '_, '_> {
    pub(super) fn cargo(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let end = words.iter().position(|word| word.text == "--").unwrap_or(words.len());
        let own = &words[1..end];
        let Some(verb) = own.iter().find(|word| !word.text.starts_with(['-', '+'])) else { return };
        let name = verb.text.as_str();
        if name == "install"
            && let Some((path, _)) = option(own, &["--path"])
        {
            self.argument(path);
        }
        // Only a package of this repository has features that can be looked up.
        if name == "install"
            && let Some(package) =
                bare(after(own, verb), &["--features", "-F", "--version", "--path"]).first()
        {
            self.features(head, own, &package.text);
        }
        if matches!(
            name,
            "install"
                | "add"
                | "new"
                | "init"
                | "search"
                | "info"
                | "remove"
                | "uninstall"
                | "owner"
                | "help"
                | "update"
        ) {
            return;
        }
        if OWN.binary_search(&name).is_err() && PLUGINS.binary_search(&name).is_err() {
            self.defined("cargo_alias", head, verb, name, None);
            // The options are its own: `cargo xtask run --test gpio`.
            return;
        }
        self.cargo_options(head, own);
        self.cargo_run(words, own, end);
    }

    fn cargo_options(&mut self, head: &Word, own: &[Word]) {
        let manifest = option(own, &["--manifest-path"]);
        if let Some((path, text)) = manifest
            && path.text == text
        {
            self.argument(path);
        }
        let folder = manifest.map(|(_, path)| {
            path.strip_suffix("Cargo.toml").unwrap_or(path).trim_end_matches('/').to_owned()
        });
        let package = option(own, &["-p", "--package"])
            .filter(|(word, name)| !word.is_dynamic && !is_placeholder(name));
        let within =
            package.map(|(_, name)| name.to_owned()).or_else(|| folder.filter(|folder| !folder.is_empty()));
        for (at, word) in own.iter().enumerate() {
            let (option, value, holder) = match word.text.split_once('=') {
                Some((option, value)) => (option, value, word),
                None => match own.get(at + 1) {
                    Some(next) => (word.text.as_str(), next.text.as_str(), next),
                    None => continue,
                },
            };
            let by = match option {
                "-p" | "--package" => "cargo_package",
                "--bin" => "cargo_bin",
                "--example" => "cargo_example",
                "--test" => "cargo_test",
                "--bench" => "cargo_bench",
                "--features" | "-F" => "cargo_feature",
                "--profile" => "cargo_profile",
                _ => continue,
            };
            let scope = if by == "cargo_package" { None } else { within.clone() };
            for name in value.split([',', ' ']).filter(|name| !name.is_empty()) {
                let bare_name =
                    if by == "cargo_package" { name.split('@').next().unwrap_or(name) } else { name };
                self.defined(by, head, holder, bare_name, scope.clone());
            }
        }
    }

    fn features(&mut self, head: &Word, own: &[Word], package: &str) {
        let Some((holder, names)) = option(own, &["--features", "-F"]) else { return };
        for name in names.split([',', ' ']).filter(|name| !name.is_empty()) {
            self.defined("cargo_feature", head, holder, name, Some(package.to_owned()));
        }
    }

    /// `cargo run --bin x -- sub --flag` calls `x`.
    fn cargo_run(&mut self, words: &[Word], own: &[Word], end: usize) {
        let runs = bare(own, &[])
            .iter()
            .find(|word| !word.text.starts_with('+'))
            .is_some_and(|verb| matches!(verb.text.as_str(), "run" | "r"));
        if !runs || end >= words.len() {
            return;
        }
        let program = option(own, &["--bin"]).or_else(|| option(own, &["-p", "--package"]));
        let name = program.map_or("", |(_, name)| name);
        self.call_named(name, &words[end + 1..]);
        self.files(&words[end..]);
    }
}
