//! make, just, task, go, python, compose, gradle, maven, tox and nox.

use super::programs::after;
use super::{Command, bare, option};
use crate::extract::placeholders::has_known_ending;
use crate::extract::shell::{Word, is_assignment};

impl Command<'_, '_, '_> {
    pub(super) fn make(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let within =
            option(words, &["-C", "--directory"]).map(|(_, folder)| folder.trim_end_matches('/').to_owned());
        if let Some((file, _)) = option(words, &["-f", "--file", "--makefile"]) {
            self.argument(file);
        }
        let valued = ["-C", "--directory", "-f", "--file", "--makefile", "-I", "-o", "-W"];
        let targets = bare(&words[1..], &valued);
        // `make it work` is a sentence.
        let first = targets.first().map_or("", |first| first.text.as_str());
        if matches!(first, "it" | "sure" | "a" | "an" | "the" | "this" | "use" | "your") {
            return;
        }
        for target in targets {
            if !is_assignment(&target.text) {
                self.defined("make_target", head, target, &target.text, within.clone());
            }
        }
    }

    pub(super) fn just(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let valued = ["-f", "--justfile", "-d", "--working-directory", "--set", "--shell"];
        if let Some(recipe) = bare(&words[1..], &valued).into_iter().find(|word| !is_assignment(&word.text)) {
            let within = option(words, &["-d", "--working-directory"]).map(|(_, folder)| folder.to_owned());
            self.defined("just_recipe", head, recipe, &recipe.text, within);
        }
    }

    pub(super) fn task(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let valued = [
            "-t",
            "--taskfile",
            "-d",
            "--dir",
            "-o",
            "--output",
            "-C",
            "--concurrency",
            "-I",
            "--interval",
            "--sort",
        ];
        let within = option(words, &["-d", "--dir"]).map(|(_, folder)| folder.to_owned());
        if words.iter().any(|word| matches!(word.text.as_str(), "-g" | "--global" | "--init" | "-i")) {
            return;
        }
        // What other options take is not known, so the words behind them are not either.
        let switches = [
            "-f",
            "-p",
            "-s",
            "-v",
            "-w",
            "-y",
            "-n",
            "-x",
            "--force",
            "--parallel",
            "--silent",
            "--verbose",
            "--watch",
            "--yes",
            "--dry",
            "--summary",
            "--status",
            "--exit-code",
        ];
        let is_known = |word: &Word| {
            !word.text.starts_with('-')
                || switches.contains(&word.text.as_str())
                || valued.contains(&word.text.as_str())
        };
        let end = words.iter().position(|word| !is_known(word)).unwrap_or(words.len());
        for name in bare(words.get(1..end).unwrap_or_default(), &valued) {
            if !is_assignment(&name.text) {
                self.defined("task", head, name, &name.text, within.clone());
            }
        }
    }

    pub(super) fn go(&mut self, words: &[Word]) {
        let (Some(head), Some(verb)) = (words.first(), words.get(1)) else { return };
        if !matches!(verb.text.as_str(), "run" | "build" | "install" | "test" | "vet" | "generate") {
            return;
        }
        let valued = [
            "-o",
            "-tags",
            "-ldflags",
            "-run",
            "-bench",
            "-count",
            "-timeout",
            "-mod",
            "-gcflags",
            "-C",
            "-coverprofile",
            "-p",
            "-fuzz",
        ];
        let packages = bare(&words[2..], &valued);
        // Only the first is the program of `go run`; what follows are its arguments.
        let many = if verb.text == "run" { 1 } else { packages.len() };
        for package in packages.into_iter().take(many) {
            let name = package.text.trim_end_matches("...").trim_end_matches('/');
            if has_known_ending(name) {
                self.argument(package);
            } else if let Some(folder) = name.strip_prefix("./").filter(|folder| !folder.is_empty()) {
                self.defined("go_package", head, package, folder, None);
                if verb.text == "run" {
                    self.script_flags(folder, after(words, package));
                }
            }
        }
    }

    pub(super) fn python(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let valued = ["-W", "-X"];
        let first = words[1..].iter().position(|word| !word.text.starts_with('-')).unwrap_or(0);
        if let Some((module, name)) = option(words.get(..first + 2).unwrap_or(words), &["-m"]) {
            self.defined("python_module", head, module, name, None);
            self.files(words);
            if module.text == name {
                self.script_flags(&name.replace('.', "/"), after(words, module));
            }
            return;
        }
        let own = words[1..].iter().take_while(|word| word.text.starts_with('-'));
        if own.clone().any(|word| word.text == "-c") {
            return;
        }
        if let Some(file) = bare(&words[1..], &valued).first().filter(|file| has_known_ending(&file.text)) {
            self.argument(file);
            self.script_flags(&file.text, after(words, file));
            self.files(after(words, head));
        }
    }

    pub(super) fn compose(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        if head.text == "docker"
            && words.get(1).is_some_and(|verb| matches!(verb.text.as_str(), "build" | "buildx"))
            && let Some((file, _)) = option(words, &["-f", "--file"])
        {
            return self.argument(file);
        }
        let rest = match words.get(1).map(|word| word.text.as_str()) {
            Some("compose") => &words[2..],
            _ if head.text.ends_with("-compose") => &words[1..],
            _ => return,
        };
        if let Some((file, _)) = option(rest, &["-f", "--file"]) {
            self.argument(file);
        }
        let valued = [
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--scale",
            "-e",
            "--env",
            "--env-file",
            "--name",
            "-u",
            "--user",
            "-w",
            "--workdir",
            "-v",
            "--volume",
            "--entrypoint",
            "--tail",
            "-n",
            "-t",
            "--timeout",
            "--since",
            "--publish",
        ];
        let bare = bare(rest, &valued);
        let Some(verb) = bare.first() else { return };
        let many = match verb.text.as_str() {
            "run" | "exec" => 1,
            "up" | "build" | "logs" | "restart" | "stop" | "start" | "rm" | "pull" | "create" | "kill" => {
                usize::MAX
            }
            _ => return,
        };
        let file = option(rest, &["-f", "--file"]).map(|(_, file)| file.to_owned());
        for service in bare.into_iter().skip(1).take(many) {
            self.defined("compose_service", head, service, &service.text, file.clone());
        }
    }

    pub(super) fn gradle(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        if head.text.starts_with("./") {
            self.argument(head);
        }
        for task in bare(&words[1..], &["--tests", "-P", "-x"]) {
            if let Some((project, _)) = task.text.strip_prefix(':').and_then(|path| path.rsplit_once(':')) {
                self.defined("gradle_project", head, task, project, None);
            }
        }
    }

    pub(super) fn maven(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        if head.text.starts_with("./") {
            self.argument(head);
        }
        if let Some((word, modules)) = option(words, &["-pl", "--projects"]) {
            for module in modules.split(',').filter(|module| !module.starts_with([':', '!', '+'])) {
                self.defined("maven_module", head, word, module, None);
            }
        }
    }

    pub(super) fn sessions(&mut self, words: &[Word]) {
        let Some(head) = words.first() else { return };
        let by = if head.text == "tox" { "tox_environment" } else { "nox_session" };
        let names = ["-e", "-s", "--session", "--sessions"];
        if let Some((word, names)) = option(words, &names) {
            for name in names.split(',') {
                self.defined(by, head, word, name, None);
            }
        }
    }
}
