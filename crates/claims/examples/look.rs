//! What checks say of the claims on a line at some commits: `--example look -- REPO COMMIT DOCUMENT LINE [COMMIT]...`, the
//! line as it is at the first commit. For finding out why something was found or not.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::path::Path;
use std::sync::Arc;

use docent_claims::{NoStore, RepoError, Repository, World, checks, extract};

fn main() -> Result<(), RepoError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [repository, first, path, line, others @ ..] = arguments.as_slice() else {
        println!("REPO COMMIT DOCUMENT LINE [COMMIT]...");
        return Ok(());
    };
    let repository = Repository::open(Path::new(repository))?;
    let first = repository.resolve(first)?;
    let world = World::of_commit(&repository, &first, Arc::new(NoStore))?;
    let bytes = world.read(path).unwrap_or_default();
    let mut claims = extract(path, &String::from_utf8_lossy(&bytes));
    claims.retain(|claim| claim.line.to_string() == *line);
    for commit in std::iter::once(&first).chain(others) {
        let commit = repository.resolve(commit)?;
        let world = World::of_commit(&repository, &commit, Arc::new(NoStore))?;
        for claim in &claims {
            let outcome = checks::check(claim, path, &world);
            println!("{commit:.9} {} `{}` {:?} {outcome:?}", claim.kind, claim.named, claim.cues);
        }
    }
    Ok(())
}
