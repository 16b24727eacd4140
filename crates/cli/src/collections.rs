//! The sets of documents that the settings list beside the project's own folder.
//!
//! The project's file and the user's both may list some; where both use a name, the project's counts. A collection is
//! either live, a folder or a file that is read where it is, or fetched, brought here by `docent sync` and served from the
//! index.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use docent_authoring::Manifest;
use docent_engine::{About, Card, Names, Source, SourceRules, split_version};
use docent_index::Collection;
use docent_sources::{SourceError, Spec};

use crate::config_file::CollectionSection;
use crate::errors::CliError;
use crate::settings;

/// Longest name of a collection.
const MAX_NAME: usize = 100;

/// Whose file lists a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Owner {
    /// The project's, which is shared.
    Project,
    /// The user's own.
    User,
}

/// A collection as the settings list it.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    /// Its id, e.g. `react@19`.
    pub(crate) name: String,
    /// What the file says.
    pub(crate) section: CollectionSection,
    /// Where it comes from, or what is wrong with that now: a folder may be missing for a while, and one entry must not keep
    /// all others from being used.
    spec: Result<Spec, SourceError>,
    /// The file that lists it.
    pub(crate) file: PathBuf,
    /// Whose file that is.
    pub(crate) owner: Owner,
}

impl Listed {
    /// Checks one entry of a file.
    pub(crate) fn new(
        name: &str,
        section: CollectionSection,
        file: &Path,
        owner: Owner,
    ) -> Result<Self, CliError> {
        let place = |error: CliError| match error {
            CliError::Told { exit, message, hint } => CliError::Told {
                exit,
                message: format!("{}: [collections.{name}]: {message}", file.display()),
                hint,
            },
            other => other,
        };
        check_name(name).map_err(place)?;
        for alias in &section.aliases {
            check_name(alias).map_err(place)?;
        }
        let here = file.parent().unwrap_or(Path::new("/"));
        let spec = Spec::parse(&section.source, here).map_err(|error| SourceError {
            hint: format!("check `source` of [collections.{name}] in {}", file.display()),
            ..error
        });
        Ok(Self { name: name.to_owned(), section, spec, file: file.to_owned(), owner })
    }

    /// The entry with a source that was typed, and is written down in another way.
    pub(crate) fn with_spec(self, spec: Spec) -> Self {
        Self { spec: Ok(spec), ..self }
    }

    /// Where it comes from.
    pub(crate) fn spec(&self) -> Result<&Spec, CliError> {
        self.spec.as_ref().map_err(|error| error.clone().into())
    }

    /// Where it comes from, for people.
    pub(crate) fn source(&self) -> String {
        self.spec.as_ref().map_or_else(|_| self.section.source.clone(), Spec::to_string)
    }

    /// Whether it is read where it is. What is missing now is known by its ending.
    pub(crate) fn is_live(&self) -> bool {
        let is_packed = || [".docent", ".tar.gz", ".tgz"].iter().any(|it| self.section.source.ends_with(it));
        match &self.spec {
            Ok(spec) => spec.is_live(),
            Err(_) => !is_packed(),
        }
    }

    /// The version in its name, for when nobody says a more exact one.
    pub(crate) fn named_version(&self) -> Option<String> {
        split_version(&self.name).1.map(str::to_owned)
    }

    /// What the settings say of it; its source may know more.
    pub(crate) fn card(&self) -> Card {
        Card {
            description: self.section.description.clone(),
            version: self.section.version.clone(),
            rules: Some(self.reading()),
            ..Card::default()
        }
    }

    /// What to read of it.
    pub(crate) fn rules(&self) -> SourceRules {
        let mut rules = SourceRules { card: self.card(), ..SourceRules::default() };
        if !self.section.include.is_empty() {
            rules.include.clone_from(&self.section.include);
        }
        rules.exclude.clone_from(&self.section.exclude);
        rules
    }

    /// Changes with everything in the settings that decides what is indexed of a revision.
    pub(crate) fn fingerprint(&self) -> String {
        let section = CollectionSection { aliases: Vec::new(), ..self.section.clone() };
        short_hash(&(&self.name, section))
    }

    /// Changes with everything in the settings that decides which files are read.
    fn reading(&self) -> String {
        let section = &self.section;
        short_hash(&(&self.name, &section.source, &section.include, &section.exclude))
    }

    /// Whether a folder may be read without being asked for: it is the user's own choice, lies inside the project, or was
    /// added or synced here as it is listed now. Otherwise a project that somebody else wrote could have any file read.
    pub(crate) fn is_agreed_to(
        &self,
        source: &Source,
        project: Option<&Path>,
        known: Option<&Collection>,
    ) -> bool {
        let project = project.and_then(|project| project.canonicalize().ok());
        let was_read = |known: &Collection| {
            let about: About = serde_json::from_str(&known.about).unwrap_or_default();
            Path::new(&known.root) == source.root && about.card.rules == Some(self.reading())
        };
        self.owner == Owner::User
            || project.is_some_and(|project| source.root.starts_with(project))
            || known.is_some_and(was_read)
    }

    /// The folder that is read where it is; `None` for what is fetched, and with a reason for what is missing now.
    pub(crate) fn live_source(&self) -> Option<Result<Source, CliError>> {
        let source = match self.spec() {
            Ok(Spec::Folder(folder)) => self.folder(folder),
            Ok(Spec::File(file)) => self.file_alone(file),
            Err(error) if self.is_live() => Err(error),
            _ => return None,
        };
        Some(source)
    }

    fn folder(&self, folder: &Path) -> Result<Source, CliError> {
        let own = self.rules();
        // A folder of another project is read by that project's rules, as far as the entry has none of its own.
        let theirs = settings::rules_of(folder)?;
        let include = if self.section.include.is_empty() { theirs.include } else { own.include };
        let exclude = if self.section.exclude.is_empty() { theirs.exclude } else { own.exclude };
        let rules = SourceRules { include, exclude, card: own.card, ..theirs };
        Ok(Source::new(&self.name, folder, &rules)?)
    }

    fn file_alone(&self, file: &Path) -> Result<Source, CliError> {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(CliError::usage(format!("{} is not a file", file.display()), "name a document"));
        };
        let include = vec![escaped(&name.to_string_lossy())];
        // No folder beside it is looked into.
        let exclude = vec!["*/".to_owned()];
        let rules = SourceRules { include, exclude, manifest: Manifest::default(), ..self.rules() };
        Ok(Source::new(&self.name, folder, &rules)?)
    }
}

/// The entries of both files; the project's win.
pub(crate) fn listed(
    project: Option<(&Path, &BTreeMap<String, CollectionSection>)>,
    user: Option<(&Path, &BTreeMap<String, CollectionSection>)>,
) -> Result<Vec<Listed>, CliError> {
    let mut listed: Vec<Listed> = Vec::new();
    for (owner, file) in [(Owner::Project, project), (Owner::User, user)] {
        let Some((path, sections)) = file else { continue };
        for (name, section) in sections {
            if listed.iter().all(|known| known.name != *name) {
                listed.push(Listed::new(name, section.clone(), path, owner)?);
            }
        }
    }
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(listed)
}

/// Alias and the name that it stands for. An alias that two collections claim belongs to the project's, then to the first.
pub(crate) fn aliases(listed: &[Listed]) -> BTreeMap<String, String> {
    let mut aliases = BTreeMap::new();
    for owner in [Owner::Project, Owner::User] {
        for entry in listed.iter().filter(|entry| entry.owner == owner) {
            for alias in &entry.section.aliases {
                aliases.entry(alias.clone()).or_insert_with(|| entry.name.clone());
            }
        }
    }
    let ids: BTreeSet<&str> = listed.iter().map(|entry| entry.name.as_str()).collect();
    aliases.retain(|alias, _| !ids.contains(alias.as_str()));
    aliases
}

/// Whether a name, an alias or a bare name means a listed collection.
pub(crate) fn is_listed(listed: &[Listed], name: &str) -> bool {
    let ids = listed.iter().map(|entry| entry.name.clone()).collect();
    Names::new(ids, aliases(listed)).resolve(name).is_some()
}

/// Refuses what cannot be typed, shown or written down safely.
pub(crate) fn check_name(name: &str) -> Result<(), CliError> {
    let plain = |c: char| c.is_alphanumeric() || "._-/@+".contains(c);
    let is_fine = !name.is_empty()
        && name.len() <= MAX_NAME
        && name.chars().all(plain)
        && !name.starts_with(['-', '.', '/', '+'])
        && !name.ends_with(['/', '@']);
    if is_fine {
        return Ok(());
    }
    Err(CliError::usage(
        format!("not a name for a collection: {}", docent_text::visible_line(name, 60)),
        format!(
            "use letters, digits and . _ - / + in at most {MAX_NAME} characters, and @ before a version: react@19"
        ),
    ))
}

fn short_hash(of: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(of).unwrap_or_default();
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// A pattern that matches this name and nothing else.
fn escaped(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '*' | '?' | '[' | ']' | '{' | '}' => pattern.extend(['[', letter, ']']),
            '\\' => pattern.push_str("\\\\"),
            letter => pattern.push(letter),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["react", "react@19", "@types/node@22.1.0", "c++", "Ünï", "a_b-c.d"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "-x", ".hidden", "/etc", "a b", "a\nb", "react@", "a/", "x;y", "a\"b"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
