//! Skills for agents that were taken from other repositories, as the file says that their installer keeps.

use std::collections::HashSet;

use serde_json::Value;

/// Where it is written which skills came from where.
pub(crate) const LOCK: &str = "skills-lock.json";

/// The skills that such a file says are from elsewhere, by their folders.
pub(crate) fn taken(lock: &[u8]) -> HashSet<String> {
    let parsed: Value = serde_json::from_slice(lock).unwrap_or_default();
    let skills = parsed.get("skills").and_then(Value::as_object);
    let is_taken = |skill: &Value| {
        skill.get("source").is_some_and(Value::is_string)
            && skill.get("sourceType").and_then(Value::as_str) != Some("local")
    };
    let names = skills.into_iter().flatten().filter(|(_, skill)| is_taken(skill)).map(|(name, _)| name);
    names.cloned().collect()
}

/// The skill to which a page belongs: `.agents/skills/review/rules/a.md` → `review`.
pub(crate) fn skill_of(path: &str) -> Option<&str> {
    let mut parts = path.split('/');
    parts.by_ref().find(|part| *part == "skills")?;
    let skill = parts.next()?;
    parts.next().map(|_| skill)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_from_elsewhere() {
        let lock = r#"{"version": 1, "skills": {
            "review": {"source": "acme/skills", "sourceType": "github"},
            "own": {"source": "./skills/own", "sourceType": "local"}, "odd": 1
        }}"#;
        assert_eq!(taken(lock.as_bytes()), HashSet::from(["review".to_owned()]));
        assert!(taken(b"[1").is_empty());
        assert!(taken(br#"{"skills": []}"#).is_empty());
        assert_eq!(skill_of(".agents/skills/review/rules/a.md"), Some("review"));
        assert_eq!(skill_of("skills/review.md"), None);
        assert_eq!(skill_of("docs/a.md"), None);
    }
}
