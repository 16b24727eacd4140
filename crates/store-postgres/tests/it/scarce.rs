//! Servers that can only be read, and servers that have run out of something.

use std::time::{Duration, Instant};

use docent_index::{Filter, Role, Store, StoreError};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Postgres, embed_all, model, put, query, vector};

fn open(url: &str) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(url, PostgresOptions::default())
}

#[test]
fn a_standby_is_read_and_says_that_it_cannot_be_written_to() {
    let Some(server) = Postgres::own(0, "", &[]) else { return };
    let database = server.database();
    let primary = open(&database.url()).unwrap();
    primary.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    embed_all(&primary, &model("m"));
    let standby = open(&server.standby().url(database.name())).unwrap();
    let found = |word: &str| {
        let snapshot = standby.snapshot().unwrap();
        let near = snapshot.nearest(&model("m"), &vector(&model("m"), word), &Filter::default(), 5).unwrap();
        assert!(!near.is_empty());
        snapshot.lexical(&query(word), &Filter::default(), 5).unwrap().chunks.len()
    };
    assert_eq!(found("quartz"), 1);
    let refused = standby.apply(&[put("docs", "b.md", "# B\n\nmica\n")]);
    assert!(matches!(&refused, Err(StoreError::Standby { .. })), "{refused:?}");
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("read-only transaction"), "{said}");
    assert!(matches!(standby.remove_collection("docs"), Err(StoreError::Standby { .. })));
    // What the other server is told reaches this one.
    primary.apply(&[put("docs", "b.md", "# B\n\nmica\n")]).unwrap();
    let begun = Instant::now();
    while found("mica") == 0 {
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    drop((standby, database));
    server.end();
}

#[test]
fn a_full_disk_stops_who_writes_and_nobody_else() {
    let Some(server) = Postgres::with_little_space(0) else { return };
    server.sql("postgres", &format!("CREATE TABLESPACE small LOCATION '{}'", server.small().display()));
    let database = server.database_with("TABLESPACE small");
    let (writer, reader) = (open(&database.url()).unwrap(), open(&database.url()).unwrap());
    writer.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    embed_all(&writer, &model("m"));
    server.narrow();
    // Words that do not compress.
    let page = |number: usize| {
        let word = |at: usize| format!("{:x}", (number * 10_000 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let text: Vec<String> = (0..4000).map(word).collect();
        put("docs", &format!("{number}.md"), &format!("# {number}\n\n{}\n", text.join(" ")))
    };
    let (mut number, mut kept) = (0, 1);
    let error = loop {
        assert!(number < 2000, "it is never full");
        match writer.apply(&[page(number)]) {
            Ok(_) => (number, kept) = (number + 1, kept + 1),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(snapshot.documents(&Filter::default()).len(), kept);
    assert_eq!(snapshot.lexical(&query("quartz"), &Filter::default(), 5).unwrap().chunks.len(), 1);
    assert!(matches!(writer.apply(&[page(number)]), Err(StoreError::Full { .. })));
    server.widen();
    writer.apply(&[page(number)]).unwrap();
    assert_eq!(reader.snapshot().unwrap().documents(&Filter::default()).len(), kept + 1);
    assert_eq!(reader.check().unwrap().problems, Vec::<String>::new());
    drop((writer, reader, database));
    server.end();
}

#[test]
fn a_server_without_connections_left_says_so_and_is_used_again() {
    let Some(server) = Postgres::own(0, "", &["max_connections=12", "superuser_reserved_connections=3"])
    else {
        return;
    };
    let database = server.database();
    let name = database.name();
    database.sql(&format!("CREATE ROLE plain LOGIN; GRANT CREATE ON DATABASE {name} TO plain"));
    let url = database.url().replace("postgres@", "plain@");
    let first = open(&url).unwrap();
    first.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    // Others take all that is left.
    let take = |number: usize| first.try_lease(Role::Embed, &[format!("c{number}")]).ok();
    let taken: Vec<_> = (0..20).map_while(take).collect();
    assert!(taken.len() < 20);
    let begun = Instant::now();
    let Err(error) = open(&url) else { panic!("there is none left") };
    let took = begun.elapsed();
    assert!(matches!(&error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("connection"), "{error}");
    assert!(error.hint().contains("connections left"), "{}", error.hint());
    assert!(took < Duration::from_secs(4), "{took:?}");
    // Who has one goes on.
    assert_eq!(first.snapshot().unwrap().documents(&Filter::default()).len(), 1);
    drop(taken);
    let begun = Instant::now();
    let second = loop {
        match open(&url) {
            Ok(store) => break store,
            Err(error) => assert!(begun.elapsed() < Duration::from_secs(5), "{error}"),
        }
    };
    second.apply(&[put("docs", "b.md", "# B\n")]).unwrap();
    assert_eq!(first.check().unwrap().problems, Vec::<String>::new());
    drop((first, second, database));
    server.end();
}
