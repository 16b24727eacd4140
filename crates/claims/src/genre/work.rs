//! Papers of one piece of work: what is to be done, how, and who does it. Once it is done they tell of the past.

/// What is to be.
const WHAT: &[&str] = &["design.md", "proposal.md", "requirements.md", "spec.md"];
/// How to get there.
const HOW: &[&str] = &["plan.md", "tasks.md"];

/// Whether a page lies in a folder that holds both what is to be and how to get there (`spec.md` beside `plan.md`), or below
/// one.
pub(crate) fn is_of_work(path: &str, is_there: impl Fn(&str) -> bool) -> bool {
    let holds = |folder: &str, names: &[&str]| names.iter().any(|name| is_there(&format!("{folder}{name}")));
    let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..=end));
    folders.any(|folder| holds(folder, HOW) && holds(folder, WHAT))
}

/// Whether a file may decide about those beside and below it.
pub(crate) fn is_paper(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    WHAT.contains(&name) || HOW.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_beside_what_it_is_for_makes_the_folder_one_of_work() {
        let there =
            ["projects/cache/spec.md", "projects/cache/plan.md", "docs/spec.md", "plan.md", "spec.md"];
        let check = |path: &str| is_of_work(path, |path| there.contains(&path));
        assert!(check("projects/cache/spec.md"));
        assert!(check("projects/cache/briefs/first.md"));
        assert!(!check("docs/spec.md"));
        assert!(!check("projects/README.md"));
        // All of a repository is not one piece of work.
        assert!(!check("README.md"));
    }
}
