//! Errors for callers who are not to learn where the database is, what it is called or who reads it: whoever holds a token of a
//! server, say, for some collections. The process that serves them says the rest in its log.

use docent_index::StoreError;

/// Stands for the address.
const PLACE: &str = "postgresql://…";
/// Stands for the words of the server, which name roles, hosts and databases.
const DETAIL: &str = "the log of the server that you asked says more";

/// The same error without these, and whether something was left out that is told nowhere else.
pub(crate) fn discreet(error: &StoreError) -> (StoreError, bool) {
    let (place, detail) = (PLACE.to_owned(), DETAIL.to_owned());
    let plain = match error {
        StoreError::Busy { .. } => StoreError::Busy { place },
        StoreError::NoCollection { name, .. } => StoreError::NoCollection { place, name: name.clone() },
        StoreError::CollectionExists { name, .. } => {
            StoreError::CollectionExists { place, name: name.clone() }
        }
        _ => {
            return (without_words(error, place, detail), true);
        }
    };
    (plain, false)
}

fn without_words(error: &StoreError, place: String, detail: String) -> StoreError {
    match *error {
        StoreError::Newer { found, supported, .. } => StoreError::Newer { place, found, supported },
        StoreError::Older { found, needed, .. } => StoreError::Older { place, found, needed },
        StoreError::Full { .. } => StoreError::Full { place },
        StoreError::Unreachable { .. } => StoreError::Unreachable { place, detail },
        StoreError::Refused { .. } => StoreError::Refused { place, detail },
        StoreError::Untrusted { .. } => StoreError::Untrusted { place, detail },
        StoreError::Forbidden { .. } => StoreError::Forbidden { place, detail },
        StoreError::Unprepared { .. } => StoreError::Unprepared { place, detail },
        StoreError::Unreadable { .. } => StoreError::Unreadable { place, detail },
        StoreError::Standby { .. } => StoreError::Standby { place, detail },
        StoreError::Guarded { .. } => StoreError::Guarded { place, detail },
        StoreError::Unfit { .. } => StoreError::Unfit { place, detail },
        StoreError::Damaged { .. } => StoreError::Damaged { place, detail },
        _ => StoreError::Internal { place, detail },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_the_host_nor_the_words_of_the_server_are_told() {
        let secret = || ("postgresql://db.internal/docs".to_owned(), "no entry for db.internal".to_owned());
        let (place, detail) = secret();
        let all = [
            StoreError::Unreachable { place: place.clone(), detail: detail.clone() },
            StoreError::Refused { place: place.clone(), detail: detail.clone() },
            StoreError::Forbidden { place: place.clone(), detail: detail.clone() },
            StoreError::Internal { place: place.clone(), detail },
            StoreError::NoCollection { place, name: "acme".to_owned() },
        ];
        for error in all {
            let (told, _) = discreet(&error);
            assert!(!told.to_string().contains("internal/") && !told.to_string().contains("entry"), "{told}");
            assert_eq!(told.hint(), error.hint());
        }
    }
}
