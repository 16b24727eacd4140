//! Several searches at once: the same answers as one after the other.

use std::sync::Arc;

use docent_engine::{Engine, ErrorKind, Freshness, Mode, PathGlob, SearchAnswer, SearchRequest};

use crate::world::{World, paths, sync};

const WORDS: [&str; 16] = [
    "pod", "service", "retry", "backoff", "timeout", "volume", "secret", "token", "cluster", "node", "image",
    "registry", "network", "policy", "quota", "zanzibar",
];

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

fn world() -> World {
    let world = World::new(&[]);
    let mut numbers = Numbers(7);
    for page in 0..60 {
        let folder = ["guides", "reference"][page % 2];
        let sections: String =
            (0..6).map(|_| format!("## {}\n\n{}.\n\n", numbers.text(2), numbers.text(25))).collect();
        world.write(&format!("{folder}/{page}.md"), &format!("# {}\n\n{sections}", numbers.text(2)));
    }
    // Files that have only just been written are read again by each call, which then counts as another state.
    std::thread::sleep(std::time::Duration::from_millis(60));
    world
}

fn requests(numbers: &mut Numbers, count: usize) -> Vec<SearchRequest> {
    let one = |_| {
        let words = 1 + numbers.below(6);
        let mut request = SearchRequest::new(numbers.text(words));
        request.mode = [Mode::Hybrid, Mode::Hybrid, Mode::Semantic, Mode::Lexical][numbers.below(4)];
        request.top_k = 1 + numbers.below(12);
        request.offset = numbers.below(3);
        if numbers.below(3) == 0 {
            request.filter.path = Some(PathGlob::new("guides/**").unwrap());
        }
        if numbers.below(3) == 0 {
            request.max_distance = Some(0.4 + numbers.below(5) as f32 / 10.0);
        }
        request
    };
    (0..count).map(one).collect()
}

fn untimed(mut answer: SearchAnswer) -> SearchAnswer {
    answer.query_ms = 0.0;
    // Whether a file has settled depends on when it was looked at.
    for hit in &mut answer.results {
        Arc::make_mut(&mut hit.document).stat.settled = true;
    }
    answer
}

fn check_same_as_alone(engine: &Engine, requests: &[SearchRequest]) -> Vec<SearchAnswer> {
    let together = engine.search_many(requests).unwrap();
    assert_eq!(together.len(), requests.len());
    let mut answers = Vec::new();
    for (request, answer) in requests.iter().zip(together) {
        let alone = untimed(engine.search(request).unwrap());
        assert_eq!(untimed(answer.unwrap()), alone, "{request:?}");
        answers.push(alone);
    }
    answers
}

#[test]
fn together_and_alone_give_the_same_answers() {
    let world = world();
    let engine = world.synced();
    let mut numbers = Numbers(42);
    let mut hits = 0;
    for count in [1, 2, 3, 10, 17] {
        let requests = requests(&mut numbers, count);
        hits +=
            check_same_as_alone(&engine, &requests).iter().map(|answer| answer.results.len()).sum::<usize>();
    }
    assert!(hits > 50);
}

#[test]
fn further_pages_can_be_asked_for_together() {
    let world = world();
    let engine = world.synced();
    let mut requests: Vec<_> = requests(&mut Numbers(3), 20);
    let firsts = check_same_as_alone(&engine, &requests);
    for (request, first) in requests.iter_mut().zip(firsts) {
        request.cursor = first.next_cursor;
    }
    assert!(requests.iter().filter(|request| request.cursor.is_some()).count() > 5);
    check_same_as_alone(&engine, &requests);
}

#[test]
fn what_is_refused_is_an_error_in_its_place_only() {
    let world = world();
    let engine = world.synced();
    let mut foreign = SearchRequest::new("pod");
    foreign.cursor = engine.search(&SearchRequest::new("service")).unwrap().next_cursor;
    let mut far = SearchRequest::new("pod");
    far.max_distance = Some(f32::NAN);
    let requests =
        [SearchRequest::new("pod"), SearchRequest::new("  "), foreign, far, SearchRequest::new("node")];
    let answers = engine.search_many(&requests).unwrap();
    let sound: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(sound, [true, false, false, false, true]);
    assert_eq!(answers[1].as_ref().unwrap_err().kind, ErrorKind::Usage);
    assert!(engine.search_many(&[]).unwrap().is_empty());
}

#[test]
fn a_changed_file_behind_one_of_the_answers_is_read_again() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    world.write("guides/0.md", "# Changed\n\nquixotic pod\n");
    world.remove("reference/1.md");
    let mut requests = [SearchRequest::new("pod"), SearchRequest::new("quixotic pod")];
    requests.iter_mut().for_each(|request| request.top_k = 200);
    let answers = engine.search_many(&requests).unwrap();
    for answer in answers {
        let answer = answer.unwrap();
        assert!(answer.results.iter().any(|hit| hit.content.contains("quixotic")));
        assert!(!paths(&answer).contains(&"reference/1.md"));
        assert!(answer.results.iter().all(|hit| !hit.stale));
    }
}

#[test]
fn hits_know_their_place_in_the_document() {
    let world = World::new(&[("a.md", "# A\n\none\n\n## B\n\ntwo\n\n## C\n\nzanzibar\n")]);
    let engine = world.synced();
    let answer = engine.search(&SearchRequest::new("zanzibar")).unwrap();
    let place = |hit: &docent_engine::SearchHit| (hit.metadata.chunk_index, hit.metadata.total_chunks);
    assert_eq!(place(&answer.results[0]), (3, 3));
    let mut places: Vec<_> = answer.results.iter().map(place).collect();
    places.sort_unstable();
    assert_eq!(places, [(1, 3), (2, 3), (3, 3)]);
    let json = serde_json::to_value(&answer.results[0]).unwrap();
    assert!(json["metadata"].get("chunk_index").is_none() && json["metadata"].get("total_chunks").is_none());
}

#[test]
fn what_is_too_far_away_is_left_out_before_cutting() {
    let world = world();
    let engine = world.synced();
    for mode in [Mode::Hybrid, Mode::Semantic, Mode::Lexical] {
        let mut request = SearchRequest::new("zanzibar quota of a node");
        request.mode = mode;
        request.top_k = 1000;
        let all = engine.search(&request).unwrap().results;
        let near = |hit: &&docent_engine::SearchHit| hit.similarity.is_some_and(|cosine| 1.0 - cosine <= 0.7);
        let expected: Vec<_> = all.iter().filter(near).map(|hit| hit.chunk_id.clone()).collect();
        assert!(
            expected.len() > 3 && expected.len() < all.len(),
            "{mode:?}: {} of {}",
            expected.len(),
            all.len()
        );
        request.max_distance = Some(0.7);
        let found: Vec<_> =
            engine.search(&request).unwrap().results.into_iter().map(|hit| hit.chunk_id).collect();
        assert_eq!(found, expected, "{mode:?}");
        // Page by page they are the same.
        request.top_k = 50;
        let mut paged = Vec::new();
        loop {
            let answer = engine.search(&request).unwrap();
            paged.extend(answer.results.into_iter().map(|hit| hit.chunk_id));
            request.cursor = answer.next_cursor;
            if request.cursor.is_none() {
                break;
            }
        }
        assert_eq!(paged, expected, "{mode:?}");
        request.max_distance = Some(0.0);
        let answer = engine.search(&request).unwrap();
        assert!(answer.results.is_empty() && answer.hint.unwrap().message.contains("distance"));
    }
}

#[test]
fn a_cursor_is_bound_to_the_largest_distance() {
    let world = world();
    let engine = world.synced();
    let mut request = SearchRequest::new("pod");
    request.max_distance = Some(1.5);
    request.cursor = engine.search(&request).unwrap().next_cursor;
    assert!(request.cursor.is_some() && engine.search(&request).is_ok());
    request.max_distance = Some(1.4);
    assert!(engine.search(&request).is_err());
    request.max_distance = None;
    assert!(engine.search(&request).is_err());
}

/// More pages than a search looks at, all of which have the word.
#[test]
fn that_not_all_were_ranked_is_said_only_when_a_hit_may_be_missing() {
    let pages: Vec<(String, String)> = (0..300)
        .map(|number| (format!("{number}.md"), format!("# Page {number}\n\nharbour {number} words\n")))
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&pages);
    let engine = world.synced();
    let check = |mode: Mode, distance: Option<f32>, expected: bool| {
        let mut request = SearchRequest::new("harbour");
        (request.mode, request.max_distance, request.top_k) = (mode, distance, 50);
        let mut answer = engine.search(&request).unwrap();
        let first = answer.results.len();
        while answer.next_cursor.is_some() {
            request.cursor = answer.next_cursor;
            answer = engine.search(&request).unwrap();
        }
        let told: Vec<_> =
            answer.searched.degraded.iter().filter(|reason| reason.contains("were ranked")).collect();
        assert_eq!(!told.is_empty(), expected, "{mode:?} {distance:?}: {told:?}");
        assert!(!told.iter().any(|reason| reason.contains("best 0 chunks")), "{told:?}");
        first
    };
    for mode in [Mode::Hybrid, Mode::Semantic] {
        assert!(check(mode, None, true) > 0);
        assert!(check(mode, Some(2.0), true) > 0);
        assert_eq!(check(mode, Some(0.0), false), 0);
    }
    // By words alone nobody knows whether one that was not looked at is nearer.
    assert_eq!(check(Mode::Lexical, Some(0.0), true), 0);
}
