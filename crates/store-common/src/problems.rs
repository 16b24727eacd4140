//! What a check of a store found wrong, told at a length that people read.

use docent_index::CheckReport;

/// Problems of one kind that are told one by one.
const TOLD: usize = 10;

/// Keeps the first few problems of a kind and counts the rest.
#[derive(Default)]
pub struct Problems {
    told: Vec<String>,
    more: usize,
}

impl Problems {
    /// One more.
    pub fn add(&mut self, problem: String) {
        if self.told.len() < TOLD {
            self.told.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// Puts them into the report.
    pub fn tell(self, report: &mut CheckReport) {
        report.problems.extend(self.told);
        if self.more > 0 {
            report.problems.push(format!("and {} more of this kind", self.more));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_problems_of_a_kind_are_counted() {
        let mut problems = Problems::default();
        (0..TOLD + 3).for_each(|number| problems.add(format!("{number} is wrong")));
        let mut report = CheckReport::default();
        problems.tell(&mut report);
        assert_eq!(report.problems.len(), TOLD + 1);
        assert_eq!(report.problems.last().map(String::as_str), Some("and 3 more of this kind"));
    }
}
