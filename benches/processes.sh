#!/usr/bin/env bash
# Whole-process figures of tgw, with public tools only: hyperfine for short runs, GNU time for long ones.
#
#   benches/processes.sh [FOLDER]      FOLDER holds the input and the state; a temporary one unless given
#
# Everything is pinned to one core (CORE, 0 unless set), so that figures do not depend on where the scheduler puts things.
set -euo pipefail

core=${CORE:-0}
project=$(cd "$(dirname "$0")/.." && pwd)
tgw=${TGW:-${CARGO_TARGET_DIR:-$project/target}/release/tgw}

for tool in hyperfine taskset rustc; do
  command -v "$tool" >/dev/null || { echo "error: \`$tool\` is needed" >&2; exit 2; }
done
[ -x /usr/bin/time ] || { echo "error: GNU time is needed at /usr/bin/time" >&2; exit 2; }
if [ -z "${TGW:-}" ]; then
  cargo build --release --locked --manifest-path "$project/Cargo.toml"
fi

if [ $# -gt 0 ]; then
  folder=$1
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
cd "$folder"
if [ ! -e calls-1m.jsonl ]; then
  cargo bench --quiet --locked --manifest-path "$project/Cargo.toml" --bench decision -- --write "$PWD"
fi
mkdir -p workspace/src home
[ -e workspace/src/main.rs ] || printf 'fn main() {\n    println!("Hello");\n}\n%.0s' {1..10} > workspace/src/main.rs
[ -e reads.jsonl ] || awk 'BEGIN {
  for (i = 0; i < 100000; i++) printf "{\"id\":\"r%d\",\"name\":\"read_file\",\"arguments\":{\"path\":\"src/main.rs\"}}\n", i
}' > reads.jsonl
[ -e empty ] || { echo 'fn main() {}' > empty.rs && rustc -O -o empty empty.rs; }
export HOME=$PWD/home
unset XDG_STATE_HOME XDG_CONFIG_HOME

made="--tools tools.yaml --workspace workspace"

echo "## one process, start to end"
taskset -c "$core" hyperfine -N --warmup 5 --runs 100 --style basic \
  -n 'an empty Rust program' ./empty \
  -n 'tgw --version' "$tgw --version" 2>/dev/null
taskset -c "$core" hyperfine -N --warmup 3 --runs 50 --style basic \
  -n 'tgw check, 1 call, 100 tools, 20 rules' "$tgw check $made --policy allow.yaml --state state-start calls-1.jsonl" 2>/dev/null
taskset -c "$core" hyperfine -N --warmup 3 --runs 50 --style basic \
  -n 'tgw run, 1 call denied and recorded, 100 tools, 20 rules' \
  "$tgw run $made --policy deny.yaml --state state-start calls-1.jsonl" 2>/dev/null

# Runs `tgw run` on a stream of so many calls in a state of its own, and checks that there is an answer each.
stream() {
  local title=$1 input=$2 count=$3
  shift 3
  rm -rf state-stream && mkdir state-stream
  taskset -c "$core" /usr/bin/time -o measured -f '%e %U %S %M' \
    "$tgw" run --workspace workspace --state state-stream "$@" < "$input" > answers.jsonl
  [ "$(wc -l < answers.jsonl)" = "$count" ] || { echo "error: not every call was answered" >&2; exit 1; }
  awk -v title="$title" -v count="$count" '{
    printf "%-44s %8.2f s  %10.0f calls/s  %7.2f s CPU  %8.0f calls/CPU s  %8.1f MB\n",
      title, $1, count / $1, $2 + $3, count / ($2 + $3), $4 / 1024
  }' measured
}

echo
echo "## streams on one core: wall time, rate, CPU time, rate by CPU time, peak resident memory"
stream "10,000 calls denied, each recorded" calls-10k.jsonl 10000 --tools tools.yaml --policy deny.yaml
stream "1,000,000 calls denied, each recorded" calls-1m.jsonl 1000000 --tools tools.yaml --policy deny.yaml
taskset -c "$core" "$tgw" audit verify --workspace workspace --state state-stream
stream "100,000 reads of a small file" reads.jsonl 100000
