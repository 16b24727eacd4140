//! The files in `deploy/`: what they start is started here, with the very arguments that they give.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::http::HttpServer;
use crate::postgres::Team;
use crate::support::{Project, set_mode};

fn deploy(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(deploy(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The documents of a file of YAML.
fn objects(path: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn object(path: &str, kind: &str) -> Value {
    objects(path)
        .into_iter()
        .find(|object| object["kind"] == kind)
        .unwrap_or_else(|| panic!("{path}: {kind}"))
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// The containers of a pod, those that run first included.
fn containers(pod: &Value) -> Vec<Value> {
    let of = |key: &str| pod[key].as_array().cloned().unwrap_or_default();
    [of("initContainers"), of("containers")].concat()
}

/// Every pod, with the name of its file.
fn pods() -> [(&'static str, Value); 2] {
    let serve = object("kubernetes/serve.yaml", "Deployment")["spec"]["template"]["spec"].clone();
    let job = object("kubernetes/index.yaml", "CronJob");
    [("serve.yaml", serve), ("index.yaml", job["spec"]["jobTemplate"]["spec"]["template"]["spec"].clone())]
}

/// Every command line of docent, without its program, and where it stands.
fn command_lines() -> Vec<(String, Vec<String>)> {
    let mut lines = Vec::new();
    for unit in ["systemd/docent.service", "systemd/docent-index@.service"] {
        for line in
            text(unit).lines().filter_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/docent "))
        {
            lines.push((unit.to_owned(), line.split(' ').map(str::to_owned).collect()));
        }
    }
    let dockerfile = text("Dockerfile");
    let cmd = dockerfile.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap();
    lines.push(("Dockerfile".to_owned(), words(&serde_json::from_str(cmd).unwrap())));
    for (file, pod) in pods() {
        for container in containers(&pod).iter().filter(|container| container.get("command").is_none()) {
            lines.push((file.to_owned(), words(&container["args"])));
        }
    }
    lines
}

#[test]
fn every_command_line_is_one_that_docent_takes() {
    let project = Project::empty();
    let lines = command_lines();
    assert_eq!(lines.len(), 7, "{lines:?}");
    for (file, args) in lines {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // What is before it is read before it is obeyed.
        let ran = project.run(&[&args[..], &["--help"]].concat());
        assert_eq!(ran.code, Some(0), "{file}: {args:?}: {ran:?}");
        assert!(ran.out.contains(&format!("Usage: docent {}", args[0])), "{file}: {ran:?}");
    }
}

#[test]
fn what_kubernetes_starts_answers_its_probes() {
    for server in 0..3 {
        let Some(team) = Team::on(server) else { return };
        let clone = team.clone_of("acme/shop", "shop");
        team.commit(&clone);
        let [(_, serve), (_, job)] = pods();
        // The jobs first, one after the other as Kubernetes runs them; the clone is here already.
        for container in containers(&job).iter().filter(|container| container.get("command").is_none()) {
            let args = words(&container["args"]);
            team.ok(&clone, &args.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let container = &serve["containers"][0];
        let tokens = team.project.path("tokens.toml");
        let secrets = objects("kubernetes/secrets.example.yaml");
        let tokens_text =
            secrets.iter().find_map(|secret| secret["stringData"]["tokens.toml"].as_str()).unwrap();
        fs::write(&tokens, tokens_text).unwrap();
        set_mode(&tokens, 0o440);
        let here = |word: String| match word.as_str() {
            "0.0.0.0:7331" => "0.0.0.0:0".to_owned(),
            "/etc/docent/tokens.toml" => tokens.display().to_string(),
            _ => word,
        };
        let args: Vec<String> = words(&container["args"]).into_iter().map(here).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let started = HttpServer::by(team.command(&team.project.root(), &team.database.url(), &args));
        let path_of = |probe: &str| container[probe]["httpGet"]["path"].as_str().unwrap();
        let tries = container["startupProbe"]["failureThreshold"].as_u64().unwrap();
        let is_up = |_| {
            std::thread::sleep(Duration::from_millis(100));
            started.get(path_of("startupProbe")).0 == 200
        };
        assert!((0..tries * 10).any(is_up), "{:?}", started.get(path_of("startupProbe")));
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
            let path = path_of(probe);
            assert_eq!(started.get(path), (200, "ok\n".to_owned()), "{probe}");
        }
        let found = started.call(
            "REPLACE-WITH-openssl-rand-hex-24",
            "search_docs",
            serde_json::json!({"query": "retry"}),
        );
        assert!(found.to_string().contains("guides/retries.md"), "{found}");
    }
}

#[test]
fn pods_may_do_no_more_than_they_need() {
    for (file, pod) in pods() {
        assert_eq!(pod["automountServiceAccountToken"], false, "{file}");
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true, "{file}");
        for container in containers(&pod) {
            let security = &container["securityContext"];
            assert_eq!(security["readOnlyRootFilesystem"], true, "{file}: {container}");
            assert_eq!(security["allowPrivilegeEscalation"], false, "{file}: {container}");
            assert_eq!(security["capabilities"]["drop"][0], "ALL", "{file}: {container}");
            assert!(container["resources"]["limits"]["memory"].is_string(), "{file}: {container}");
        }
    }
    let serve = object("kubernetes/serve.yaml", "Deployment");
    assert!(serve["spec"]["replicas"].as_u64().unwrap() >= 2);
    for file in ["kubernetes/serve.yaml", "kubernetes/index.yaml"] {
        object(file, "NetworkPolicy");
    }
}

#[test]
fn what_one_object_names_another_is() {
    let secrets = objects("kubernetes/secrets.example.yaml");
    let has_secret = |name: &Value| secrets.iter().any(|secret| secret["metadata"]["name"] == *name);
    for (file, pod) in pods() {
        for container in containers(&pod) {
            for from in container["envFrom"].as_array().into_iter().flatten() {
                assert!(has_secret(&from["secretRef"]["name"]), "{file}: {from}");
            }
            for mount in container["volumeMounts"].as_array().into_iter().flatten() {
                let is_it = |volume: &Value| volume["name"] == mount["name"];
                assert!(pod["volumes"].as_array().unwrap().iter().any(is_it), "{file}: {mount}");
            }
        }
        for volume in
            pod["volumes"].as_array().unwrap().iter().filter(|volume| volume.get("secret").is_some())
        {
            assert!(has_secret(&volume["secret"]["secretName"]), "{file}: {volume}");
            // Everybody else's tokens would be refused.
            assert_eq!(volume["secret"]["defaultMode"], 0o440, "{file}: {volume}");
        }
    }
    let (deployment, service) =
        (object("kubernetes/serve.yaml", "Deployment"), object("kubernetes/serve.yaml", "Service"));
    assert_eq!(service["spec"]["selector"], deployment["spec"]["template"]["metadata"]["labels"]);
    let port = &deployment["spec"]["template"]["spec"]["containers"][0]["ports"][0];
    assert_eq!(service["spec"]["ports"][0]["targetPort"], port["name"]);
    assert_eq!(port["containerPort"], 7331);
}

#[test]
fn the_image_is_built_by_us_and_runs_as_nobody_in_particular() {
    let dockerfile = text("Dockerfile");
    let manifest = fs::read_to_string(deploy("../Cargo.toml")).unwrap();
    let version =
        manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    assert!(dockerfile.contains(&format!("ARG RUST_VERSION={version}\n")), "the compiler is {version}");
    assert!(dockerfile.contains("RUN cargo build --release --locked --package docent\n"));
    assert!(fs::read_to_string(deploy("../crates/cli/Cargo.toml")).unwrap().contains("name = \"docent\""));
    let run = dockerfile.rsplit("\nFROM ").next().unwrap();
    assert!(run.contains("\nUSER 10001:10001\n") && run.contains("--uid 10001"), "{run}");
    assert!(!run.contains("curl") && !run.contains("wget"), "{run}");
}

#[test]
fn systemd_takes_the_units() {
    let there = Command::new("systemd-analyze").arg("--version").output();
    if there.is_err() {
        eprintln!("skipped: systemd-analyze is not here");
        return;
    }
    let project = Project::empty();
    let mut units = Vec::new();
    for (unit, name) in [
        ("docent.service", "docent.service"),
        ("docent-index@.service", "docent-index@shop.service"),
        ("docent-index@.timer", "docent-index@shop.timer"),
    ] {
        // It looks whether the programs are there.
        let text =
            text(&format!("systemd/{unit}")).replace("/usr/local/bin/docent", env!("CARGO_BIN_EXE_docent"));
        project.write(&format!("units/{name}"), text.replace("/usr/bin/git", env!("CARGO_BIN_EXE_docent")));
        units.push(project.root().join("units").join(name));
    }
    let output = Command::new("systemd-analyze").arg("verify").args(&units).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let about_ours: Vec<&str> = said.lines().filter(|line| line.contains("docent")).collect();
    assert!(output.status.success() && about_ours.is_empty(), "{said}");
}
