//! Health and metrics.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use docent_web::{Probes, WebConfig};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use crate::support::*;

#[test]
fn readiness_tells_the_reason() {
    let fit = Arc::new(AtomicBool::new(false));
    let asked = fit.clone();
    let ready = move || {
        if asked.load(Ordering::SeqCst) { Ok(()) } else { Err("the index is being built".to_owned()) }
    };
    let probes = Probes { ready: Arc::new(ready), metrics: Registry::default() };
    let server = Server::with_probes(WebConfig::default(), probes);
    let answer = server.get("/readyz").send();
    assert_eq!((answer.status, answer.text().as_str()), (503, "not ready: the index is being built\n"));
    assert_eq!(server.get("/livez").send().status, 200);
    fit.store(true, Ordering::SeqCst);
    assert_eq!(server.get("/readyz").send().status, 200);
}

#[test]
fn a_check_that_panics_is_not_ready() {
    let probes = Probes { ready: Arc::new(|| panic!("on purpose")), metrics: Registry::default() };
    let server = Server::with_probes(WebConfig::default(), probes);
    assert_eq!(server.get("/readyz").send().status, 503);
    assert_eq!(server.get("/readyz").send().status, 503);
}

#[test]
fn metrics_show_what_happened() {
    let mut registry = Registry::default();
    let searches: Counter = Counter::default();
    registry.register("docent_searches", "Searches", searches.clone());
    searches.inc();
    let probes = Probes { metrics: registry, ..Probes::default() };
    let server = Server::with_probes(WebConfig { sse: true, ..WebConfig::default() }, probes);
    server.modern_call("echo").send();
    server.session();
    server.post("{").send();
    server.get("/nowhere").send();
    server.get("/livez").header("Host", "evil.com").send();
    let held = server.modern_call("hold").fire();
    server.wait_for("held", 1);
    let sse = server.get("/sse").header("Accept", "text/event-stream").open();
    let text = server.get("/metrics").send().text();
    for line in [
        "docent_searches_total 1",
        "docent_http_requests_total{route=\"/mcp\",status=\"200\"} 2",
        "docent_http_requests_total{route=\"/mcp\",status=\"400\"} 1",
        "docent_http_requests_total{route=\"other\",status=\"404\"} 1",
        "docent_http_requests_total{route=\"/livez\",status=\"421\"} 1",
        "docent_http_refusals_total{reason=\"frame\"} 1",
        "docent_http_refusals_total{reason=\"host\"} 1",
        "docent_http_requests_in_flight 1",
        "docent_http_streams_open 1",
        "docent_http_sessions{kind=\"streamable\"} 1",
        "docent_http_sessions{kind=\"sse\"} 1",
        "docent_http_request_seconds_count{route=\"/mcp\"} 3",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
    }
    drop(held);
    sse.close();
    let gone = |line: &str| server.get("/metrics").send().text().lines().any(|other| other == line);
    wait_until("nothing in flight", || gone("docent_http_requests_in_flight 0"));
    wait_until("no SSE session", || gone("docent_http_sessions{kind=\"sse\"} 0"));
}

#[test]
fn a_slow_check_is_not_run_twice_at_once() {
    let running = Arc::new(Mutex::new(()));
    let ready = move || {
        let _alone = running.try_lock().map_err(|_| "two at once".to_owned())?;
        std::thread::sleep(std::time::Duration::from_millis(50));
        Ok(())
    };
    let probes = Probes { ready: Arc::new(ready), metrics: Registry::default() };
    let server = Server::with_probes(WebConfig::default(), probes);
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| assert_eq!(server.get("/readyz").send().status, 200));
        }
    });
}
