//! A look at a real repository: how many claims there are, and which do not hold.
//!
//! `DOCENT_TRIAL=/path/to/repository cargo test -p docent-claims -- --ignored --nocapture trial`

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use docent_claims::{Entry, Genre, NoStore, Outcome, Tree, World, checks, extract, genre};

/// The files of `HEAD`.
struct Head {
    entries: BTreeMap<String, (Entry, String)>,
    objects: Mutex<(Child, BufReader<ChildStdout>)>,
}

impl Head {
    fn open(repository: &str) -> Self {
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(["-C", repository, "-c", "core.quotepath=false"]).args(arguments);
            command
        };
        let listed = git(&["ls-tree", "-rz", "HEAD"]).output().unwrap().stdout;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let entry = |line: &str| {
            let (meta, path) = line.split_once('\t')?;
            let mut meta = meta.split(' ');
            let entry = match (meta.next()?, meta.next()?) {
                ("120000", _) => Entry::Link,
                (_, "commit") => Entry::Submodule,
                _ => Entry::File,
            };
            Some((path.to_owned(), (entry, meta.next()?.to_owned())))
        };
        let entries = listed.split('\0').filter_map(entry).collect();
        let mut child =
            git(&["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { entries, objects: Mutex::new((child, output)) }
    }
}

impl Tree for Head {
    fn entries(&self) -> &BTreeMap<String, (Entry, String)> {
        &self.entries
    }

    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        let (_, id) = self.entries.get(path)?;
        let mut objects = self.objects.lock().unwrap();
        let (child, output) = &mut *objects;
        writeln!(child.stdin.as_mut()?, "{id}").ok()?;
        let mut head = String::new();
        output.read_line(&mut head).ok()?;
        let size: usize = head.trim().rsplit(' ').next()?.parse().ok()?;
        let mut bytes = vec![0; size + 1];
        output.read_exact(&mut bytes).ok()?;
        bytes.pop();
        Some(bytes.into())
    }

    fn mentioning(&self, _words: &[String]) -> HashMap<String, Vec<String>> {
        HashMap::new()
    }
}

#[test]
#[ignore = "reads the repository that DOCENT_TRIAL names"]
fn trial() {
    let Ok(repository) = std::env::var("DOCENT_TRIAL") else { return };
    let started = std::time::Instant::now();
    let world = World::new(Box::new(Head::open(&repository)), Arc::new(NoStore));
    let mut counts: BTreeMap<(String, String), [usize; 4]> = BTreeMap::new();
    let mut documents = 0;
    let files: Vec<String> = world.files().map(str::to_owned).collect();
    for file in &files {
        if !file.ends_with(".md") && !file.ends_with(".mdx") {
            continue;
        }
        let Some(bytes) = world.read(file) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if genre(file, &text) == Genre::Skipped {
            continue;
        }
        documents += 1;
        for claim in extract(file, &text) {
            let outcome = checks::check(&claim, file, &world);
            let at = match &outcome {
                Outcome::Valid { .. } => 0,
                Outcome::Missing { .. } => 1,
                Outcome::Differs { .. } => 2,
                Outcome::NotOurs => 3,
            };
            let key = (claim.claim_type.name().to_owned(), claim.kind.clone());
            counts.entry(key).or_default()[at] += 1;
            if at == 1 || at == 2 || std::env::var("DOCENT_TRIAL_ALL").is_ok() {
                let marks =
                    [(claim.cues.is_past, 'p'), (claim.cues.is_example, 'e'), (claim.cues.is_created, 'c')];
                let cues: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
                println!(
                    "{at}\t{}\t{file}:{}\t{}\t[{cues}]\t{}",
                    claim.kind, claim.line, claim.named, claim.text
                );
            }
        }
    }
    println!("== {repository}: {documents} documents, {} ms", started.elapsed().as_millis());
    println!("== type / kind: valid, missing, differs, not ours");
    for ((claim_type, kind), [valid, missing, differs, other]) in counts {
        println!("== {claim_type:18} {kind:22} {valid:6} {missing:5} {differs:5} {other:6}");
    }
}
