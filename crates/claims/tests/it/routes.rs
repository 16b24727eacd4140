//! Routes of an HTTP interface.

use docent_claims::{Subject, World, checks};

use crate::outcomes::{claim, said};

fn route(named: &str) -> docent_claims::Claim {
    let (method, path) =
        named.split_once(' ').map_or((None, named), |(method, path)| (Some(method.to_owned()), path));
    claim("route", named, Subject::Route { method, path: path.to_owned() })
}

#[track_caller]
fn check(path: &str, code: &str, cases: &[(&str, &str)]) {
    for (named, expected) in cases {
        assert_eq!(said(&[(path, code)], &route(named)), *expected, "{named}");
    }
}

#[test]
fn openapi_in_yaml_and_json() {
    let yaml = "openapi: 3.1.0\npaths:\n  /v0/servers/{id}:\n    get:\n      summary: x\n    delete: {}\n";
    check(
        "api/openapi.yaml",
        yaml,
        &[
            ("GET /v0/servers/{}", "valid"),
            ("POST /v0/servers/{}", "missing"),
            ("DELETE /v0/servers/{}", "valid"),
            ("GET /v0/packages", "missing"),
        ],
    );
    let json = "{\n \"openapi\": \"3.0.0\",\n \"paths\": {\n  \"/users\": {\n   \"post\": {}\n  }\n }\n}";
    check("api.json", json, &[("POST /users", "valid"), ("GET /users", "missing"), ("/users", "valid")]);
}

#[test]
fn axum_and_actix() {
    let axum = r#"use axum::Router; fn f() { Router::new().route("/users/{id}", get(one).post(make)).nest("/api", inner()).route("/health", get(h)); }"#;
    check(
        "src/main.rs",
        axum,
        &[
            ("GET /users/{}", "valid"),
            ("DELETE /users/{}", "missing"),
            ("POST /api/users/{}", "valid"),
            ("GET /health", "valid"),
            ("GET /ready", "missing"),
        ],
    );
    let actix = r#"use actix_web::get; #[get("/items/{id}")] async fn item() {} fn f() { web::scope("/v1").service(web::resource("/things")); }"#;
    check(
        "src/main.rs",
        actix,
        &[
            ("GET /items/{}", "valid"),
            ("GET /items/42", "valid"),
            ("/v1/things", "valid"),
            ("GET /orders/{}", "missing"),
        ],
    );
}

#[test]
fn a_map_of_paths_and_methods() {
    let code = "const app = require('express')();\nexport const handlers: HandlersFor<Schemas> = {\n  '/agent/sessions': {\n    GET: async () => [],\n    POST: async ({ body }) => make(body)\n  },\n  '/other/things': { DELETE(x) { return 1 } }\n}";
    check(
        "handlers.ts",
        code,
        &[
            ("GET /agent/sessions", "valid"),
            ("POST /agent/sessions", "valid"),
            // What still stands in code in another way is left.
            ("PUT /agent/sessions", "not ours"),
            ("DELETE /other/things", "valid"),
        ],
    );
}

#[test]
fn express_and_fastify() {
    let code = "const app = require('express')(); app.get('/users/:id', h); router.post('/', make); app.use('/orders', router); fastify.route({ method: 'GET', url: '/ping' })";
    check(
        "server.js",
        code,
        &[
            ("GET /users/{}", "valid"),
            ("POST /orders", "valid"),
            ("GET /ping", "valid"),
            ("GET /pong", "missing"),
            ("PUT /users/{}", "missing"),
        ],
    );
}

#[test]
fn fastapi_and_flask() {
    let fastapi = "from fastapi import FastAPI, APIRouter\nrouter = APIRouter(prefix='/api/items')\n@router.get('/{item_id}')\ndef f(): pass\n@app.post('/token')\ndef g(): pass\n";
    check(
        "main.py",
        fastapi,
        &[("GET /api/items/{}", "valid"), ("POST /token", "valid"), ("GET /token", "missing")],
    );
    let flask = "from flask import Flask\n@app.route('/hello/<name>', methods=['POST'])\ndef f(): pass\n@bp.route('/list')\ndef g(): pass\n";
    check(
        "app.py",
        flask,
        &[("POST /hello/{}", "valid"), ("GET /hello/{}", "missing"), ("GET /list", "valid")],
    );
}

#[test]
fn spring_gin_chi_and_go_itself() {
    let spring = "@RestController @RequestMapping(\"/api\") class C { @GetMapping(\"/users/{id}\") String a() { return \"\"; } @RequestMapping(value = \"/old\", method = RequestMethod.POST) void b() {} }";
    check(
        "C.java",
        spring,
        &[("GET /api/users/{}", "valid"), ("POST /old", "valid"), ("GET /old", "missing")],
    );
    let gin = "package main\nimport \"github.com/gin-gonic/gin\"\nfunc f() { r.GET(\"/ping/:id\", h); v1 := r.Group(\"/v1\"); v1.POST(\"/login\", h) }\n";
    check(
        "main.go",
        gin,
        &[("GET /ping/{}", "valid"), ("POST /v1/login", "valid"), ("POST /ping/{}", "missing")],
    );
    let go = "package main\nfunc f() { mux.HandleFunc(\"GET /posts/{id}\", h); http.HandleFunc(\"/plain\", h); r.Get(\"/chi\", h); Router() }\n";
    check(
        "main.go",
        go,
        &[
            ("GET /posts/{}", "valid"),
            ("POST /plain", "valid"),
            ("GET /chi", "valid"),
            ("POST /posts/{}", "missing"),
        ],
    );
}

#[test]
fn without_a_server_nothing_is_said() {
    check("main.py", "print('/users')", &[("GET /users", "not ours")]);
}

#[test]
fn the_route_that_replaced_it_is_suggested() {
    let code = |path: &str| format!("const app = express(); app.get('{path}', h); app.get('/health', h)");
    let (before, after) = (code("/api/user-list"), code("/api/users-list"));
    let then = World::of_files(&[("a.js", &before)]);
    let now = World::of_files(&[("a.js", &after)]);
    let suggestion = checks::suggest(&route("GET /api/user-list"), "README.md", &now, &then);
    assert_eq!(suggestion.map(|suggestion| suggestion.replacement).as_deref(), Some("GET /api/users-list"));
}

#[test]
fn a_text_that_is_the_end_of_a_route_may_stand_behind_anything() {
    let go = "package a\nfunc f(m *http.ServeMux) { m.HandleFunc(\"/health\", h); x = base(id) + \"/access/v1/evaluation\" }\n";
    check(
        "a.go",
        go,
        &[
            ("POST /stores/{}/access/v1/evaluation", "valid"),
            ("POST /stores/{}/access/v1/gone", "missing"),
            ("POST /stores/{}/evaluation", "missing"),
        ],
    );
}

#[test]
fn a_route_that_code_asks_for_is_not_refuted() {
    let python = "from fastapi import FastAPI\nurl = f\"{base}/api/v1/text/contents\"\n";
    check("a.py", python, &[("/api/v1/text/contents", "not ours"), ("/api/v1/text", "missing")]);
}

#[test]
fn a_version_that_is_put_in_later() {
    let code = "package main\nimport \"github.com/gorilla/mux\"\nfunc f(r *mux.Router) { r.Handle(\"GET\", \"/api/_version_/fleet/results\", h); r.HandleFunc(\"/api/_version_/fleet/results\", h) }\n";
    check("main.go", code, &[("GET /api/v1/fleet/results", "valid"), ("GET /api/v1/fleet/gone", "missing")]);
}
