//! `robots.txt` (RFC 9309): what a site asks programs not to fetch, and how fast it wants to be asked.

use std::collections::HashMap;
use std::time::Duration;

/// The name that a group for us has.
const OURS: &str = "docent";
/// Bytes that are read; what comes behind them does not count.
pub(super) const MOST_BYTES: u64 = 500 << 10;
const MOST_RULES: usize = 10_000;
const MOST_SITEMAPS: usize = 20;
/// Longer delays are shortened to this.
const LONGEST_DELAY: f64 = 10.0;

/// The rules that hold for us.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::pages) struct Robots {
    rules: Vec<Rule>,
    /// Between two requests.
    pub(super) delay: Option<Duration>,
    /// Addresses of sitemaps, as they are written.
    pub(super) sitemaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    is_allowed: bool,
    /// In the form of [`normalised`], without a `$` at its end.
    pattern: String,
    is_anchored: bool,
}

#[derive(Debug, Default)]
struct Group {
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

impl Robots {
    /// Reads the file. What cannot be understood is passed over.
    pub(in crate::pages) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut groups: HashMap<String, Group> = HashMap::new();
        let mut current: Vec<String> = Vec::new();
        let mut names_agents = false;
        let mut sitemaps = Vec::new();
        for line in text.trim_start_matches('\u{feff}').split(['\r', '\n']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if !std::mem::replace(&mut names_agents, true) {
                        current.clear();
                    }
                    // The groups of others say nothing to us.
                    if let Some(agent) = agent_of(value) {
                        groups.entry(agent.to_owned()).or_default();
                        current.push(agent.to_owned());
                    }
                }
                "allow" | "disallow" | "crawl-delay" => {
                    names_agents = false;
                    for agent in &current {
                        if let Some(group) = groups.get_mut(agent) {
                            group.add(&key, value);
                        }
                    }
                }
                "sitemap" if sitemaps.len() < MOST_SITEMAPS => sitemaps.push(value.to_owned()),
                _ => {}
            }
        }
        let Group { rules, delay } = groups.remove(OURS).or_else(|| groups.remove("*")).unwrap_or_default();
        Self { rules, delay, sitemaps }
    }

    /// Whether this path with its query may be fetched: the longest rule decides, and of two as long the one that allows.
    pub(in crate::pages) fn allows(&self, target: &str) -> bool {
        let target = normalised(target);
        let rules = self.rules.iter().filter(|rule| rule.matches(&target));
        let decisive = rules.max_by_key(|rule| (rule.pattern.len(), rule.is_allowed));
        target == "/robots.txt" || decisive.is_none_or(|rule| rule.is_allowed)
    }
}

fn agent_of(value: &str) -> Option<&'static str> {
    let end =
        value.find(|c: char| !c.is_ascii_alphabetic() && !matches!(c, '-' | '_')).unwrap_or(value.len());
    let token = value.get(..end).unwrap_or_default();
    if token.eq_ignore_ascii_case(OURS) { Some(OURS) } else { (value == "*").then_some("*") }
}

impl Group {
    fn add(&mut self, key: &str, value: &str) {
        if key == "crawl-delay" {
            let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
            self.delay = seconds.map(|seconds| Duration::from_secs_f64(seconds.min(LONGEST_DELAY)));
        } else if !value.is_empty() && self.rules.len() < MOST_RULES {
            let is_anchored = value.ends_with('$');
            let pattern = normalised(value.strip_suffix('$').unwrap_or(value));
            self.rules.push(Rule { is_allowed: key == "allow", pattern, is_anchored });
        }
    }
}

impl Rule {
    /// Each part between two `*` is looked for behind the one before; the earliest place is always as good as any.
    fn matches(&self, target: &str) -> bool {
        let mut parts = self.pattern.split('*');
        let Some(mut rest) = target.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        let mut last: Option<&str> = None;
        for part in parts {
            if let Some((_, behind)) = last.map_or(Some(("", rest)), |last| rest.split_once(last)) {
                rest = behind;
            } else {
                return false;
            }
            last = Some(part);
        }
        match last {
            Some(last) if self.is_anchored => rest.ends_with(last),
            Some(last) => rest.contains(last),
            None => !self.is_anchored || rest.is_empty(),
        }
    }
}

/// One way to write a path: letters, digits and `-._~` as they are, other escapes in capitals, what is not ASCII escaped.
fn normalised(text: &str) -> String {
    use std::fmt::Write;
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        let escaped = match (byte, hex(bytes.get(at)), hex(bytes.get(at + 1))) {
            (b'%', Some(high), Some(low)) => {
                at += 2;
                Some(high * 16 + low)
            }
            _ if byte.is_ascii_graphic() => None,
            _ => Some(u32::from(byte)),
        };
        match escaped.and_then(|code| u8::try_from(code).ok()) {
            None => out.push(char::from(byte)),
            Some(plain) if plain.is_ascii_alphanumeric() || matches!(plain, b'-' | b'.' | b'_' | b'~') => {
                out.push(char::from(plain));
            }
            Some(other) => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(robots: &str, allowed: &[&str], refused: &[&str]) {
        let parsed = Robots::parse(robots.as_bytes());
        for target in allowed {
            assert!(parsed.allows(target), "{target} in {robots}");
        }
        for target in refused {
            assert!(!parsed.allows(target), "{target} in {robots}");
        }
    }

    #[test]
    fn the_group_for_us_is_read_and_otherwise_the_one_for_all() {
        check("User-agent: *\nDisallow: /a", &["/b"], &["/a", "/ab", "/a/b?c"]);
        check("User-agent: other\nDisallow: /", &["/"], &[]);
        check("User-agent: *\nDisallow: /\n\nUser-Agent: Docent\nDisallow: /a", &["/b"], &["/a"]);
        check("User-agent: docent/1.0\nDisallow: /a\nUser-agent: *\nDisallow: /b", &["/b"], &["/a"]);
        check("User-agent: docentbot\nDisallow: /", &["/"], &[]);
        check("User-agent: other\nUser-agent: docent\n\nDisallow: /a\nDisallow: /b", &["/"], &["/a", "/b"]);
        check(
            "User-agent: docent\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: docent\nDisallow: /c",
            &["/b"],
            &["/a", "/c"],
        );
        check("User-agent: docent\n\nUser-agent: *\nDisallow: /", &[], &["/"]);
        check("User-agent: docent\nAllow: /\nUser-agent: *\nDisallow: /", &["/"], &[]);
    }

    #[test]
    fn the_longest_rule_decides() {
        let robots = "User-agent: *\nAllow: /docs/public\nDisallow: /docs\nDisallow: /x\nAllow: /x";
        check(robots, &["/docs/public/a", "/x"], &["/docs/a", "/docs"]);
        check("User-agent: *\nDisallow:", &["/"], &[]);
        check("User-agent: *\nDisallow: /", &["/robots.txt"], &["/", "/robots.txt2"]);
    }

    #[test]
    fn rules_have_wildcards() {
        check(
            "User-agent: *\nDisallow: /*.pdf$",
            &["/a.pdf?x", "/a.pdfx"],
            &["/a.pdf", "/b/a.pdf", "/a.pdf.pdf"],
        );
        check("User-agent: *\nDisallow: /a*b*c", &["/ab", "/acb"], &["/abc", "/axxbyyczz"]);
        check("User-agent: *\nDisallow: /$", &["/a"], &["/"]);
        check("User-agent: *\nDisallow: *?print=", &["/a"], &["/a?print=1"]);
        check("User-agent: *\nDisallow: /*a*a$", &["/a"], &["/aa", "/abcaba"]);
        check("User-agent: *\nDisallow: /a**", &["/b"], &["/a", "/ab"]);
    }

    #[test]
    fn escapes_are_compared_as_what_they_are() {
        check("User-agent: *\nDisallow: /%7ejoe/%3cd%3e", &["/joe"], &["/~joe/%3Cd%3E"]);
        check("User-agent: *\nDisallow: /ü", &["/u"], &["/%c3%bc"]);
        check("User-agent: *\nDisallow: /a%2fb", &["/a/b"], &["/a%2Fb"]);
    }

    #[test]
    fn nonsense_is_passed_over() {
        check(
            "\u{feff}# x\r\nuser-agent : * # all\r\n disallow : /a # x\rnonsense\n: :\nDisallow /b",
            &["/b"],
            &["/a"],
        );
        check("Disallow: /", &["/"], &[]);
        check("<!doctype html><p>Not found", &["/"], &[]);
        check("\0\u{fffd}%zz%", &["/%", "/%zz"], &[]);
    }

    #[test]
    fn delays_and_sitemaps_are_read() {
        let delay =
            |value: &str| Robots::parse(format!("User-agent: *\nCrawl-delay: {value}").as_bytes()).delay;
        assert_eq!(delay("1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(delay("3600"), Some(Duration::from_secs(10)));
        for value in ["-1", "0", "nan", "inf", "x"] {
            assert_eq!(delay(value), None, "{value}");
        }
        let robots = Robots::parse(b"Sitemap: https://x.org/s.xml\nUser-agent: a\nsitemap:/t.xml");
        assert_eq!(robots.sitemaps, ["https://x.org/s.xml", "/t.xml"]);
    }

    #[test]
    fn no_rule_takes_long() {
        let pattern = "/".to_owned() + &"*a".repeat(2000) + "$";
        check(&format!("User-agent: *\nDisallow: {pattern}"), &[&format!("/{}b", "a".repeat(4000))], &[]);
        let many = "Disallow: /a*b\n".repeat(30_000);
        check(&format!("User-agent: *\n{many}"), &["/c"], &["/ab"]);
    }
}
