#!/usr/bin/env bash
# Scores the built binary on judged sets in BEIR form and prints one table row per set of queries.
#   benches/quality/run.sh SETS_FOLDER        (holds kubernetes-docs/, man-pages/, scifact/)
set -euo pipefail
docent="$(dirname "$0")/../../target/release/docent"
sets=$1
row() { # name, folder, queries, judgements
    "$docent" eval --beir "$sets/$2" --queries "$sets/$2/$3" --qrels "$sets/$2/$4" --cached --json --quiet |
        python3 -c '
import json, sys
r = json.load(sys.stdin)
e = lambda k: "%.4f ± %.4f" % (r[k]["mean"], r[k]["ci95"])
l = r["latency_ms"]
print("| %s | %d | %d | %s | %s | %s | %.1f / %.1f | %.1f |" % (sys.argv[1], r["documents"], r["queries"],
      e("ndcg_at_10"), e("recall_at_10"), e("mrr_at_10"), l["p50"], l["p95"], r["index_bytes"] / 1e6))' "$1"
}
echo "| set | pages | queries | nDCG@10 | recall@10 | MRR@10 | latency p50 / p95 ms | index MB |"
echo "|---|---|---|---|---|---|---|---|"
row "kubernetes, realistic" kubernetes-docs queries-realistic.jsonl qrels-realistic.tsv
row "kubernetes, kubefix" kubernetes-docs queries-kubefix.jsonl qrels-kubefix.tsv
row "kubernetes, Stack Overflow" kubernetes-docs queries-so.jsonl qrels-so.tsv
row "man pages" man-pages queries.jsonl qrels.tsv
row "SciFact" scifact queries.jsonl qrels.tsv
