#!/usr/bin/env bash
# Builds one asset on a Slurm cluster, stage by stage: each is a job array that begins when the one before has succeeded.
#
#   cluster/slurm/build.sh assets/HUM.json --work /shared/work --store r2://soprano
#
# Run it on a login node. The folder of Soprano, the inputs and the work folder must be on storage that all nodes share,
# but for a work folder in a bucket.
# It returns when the build is published, or says why it is not. If the connection is lost, the jobs continue; running it
# again waits for them, and skips the tasks that they have finished.
#
#   --work DIR      intermediate files and logs; or r2://bucket/prefix: then logs are in this folder
#   --store BUCKET  where to publish
#   --memory SIZE   of a task, such as 4G (default: 2G); the more, the fewer partitions
#
# All other options go to `soprano stage`. The variables of sbatch, such as SBATCH_PARTITION, SBATCH_ACCOUNT and
# SBATCH_TIMELIMIT, apply to every job.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() {
  echo "build.sh: $1" >&2
  exit "${2:-1}"
}

asset="" work="" store="" memory=2G options=()
while [ $# -gt 0 ]; do
  case $1 in
    --work) work=${2:?"--work needs a folder"} && shift 2 ;;
    --store) store=${2:?"--store needs a bucket, such as r2://soprano"} && shift 2 ;;
    --memory) memory=${2:?"--memory needs a size, such as 4G"} && shift 2 ;;
    *.json) asset=$1 && shift ;;
    *) options+=("$1") && shift ;;
  esac
done
[ -n "$asset" ] && [ -n "$work" ] && [ -n "$store" ] ||
  fail "name an asset file, with --work a folder that all nodes share, and with --store a bucket." 2
[ -r "$asset" ] || fail "$asset can't be read." 2
command -v sbatch > /dev/null || fail "sbatch is missing: run this on a login node of the cluster." 2

symbol=$(sed -n 's/.*"symbol" *: *"\([^"]*\)".*/\1/p' "$asset" | head -n 1)
name=soprano-${symbol:-$(basename "$asset" .json)}
case $work in
  r2://*) shared=$PWD ;;
  *) mkdir -p "$work" && work=$(cd "$work" && pwd) && shared=$work ;;
esac
logs=$shared/logs/$name-$(date --utc +%Y%m%dT%H%M%S)-$$
mkdir -p "$logs"

# Of an array: the tasks of a stage may be more.
most_tasks=$(scontrol show config | awk '$1 == "MaxArraySize" { print $3 }')

# submit STAGE TASKS [OPTION OF SBATCH...]: sets `jobs` to the numbers of the stage's arrays, each after a colon.
submit() {
  local stage=$1 tasks=$2 first job
  jobs=""
  for ((first = 0; first < tasks; first += most_tasks)); do
    job=$(sbatch --parsable --job-name="$name" --comment="$stage" --mem="$memory" \
      --array="0-$(((tasks - first < most_tasks ? tasks - first : most_tasks) - 1))" \
      --output="$logs/$stage-%A_%a.log" "${@:3}" "$here/stage.sbatch" "$here/../.." "$logs" "$stage" "$first" \
      "$asset" --work "$work" --store "$store" --memory "$memory" ${options+"${options[@]}"}) || explain "$stage"
    jobs+=:$job
  done
}

# A line for each attempt at a task that did not succeed, and how often tasks were begun again.
tell_attempts() {
  local files=("$logs"/*.attempts)
  [ -e "${files[0]}" ] || return 0
  awk '$1 == "begin" { restarts += FNR > 1; place = substr($0, 7) }
    $1 == "end" { print place ": " substr($0, 5) }
    END { print "restarts: " restarts + 0 }' "${files[@]}" >&2
}

# The one line that says what went wrong.
explain() {
  tell_attempts
  if [ -s "$logs/failed" ]; then fail "$(head -n 1 "$logs/failed")"; fi
  fail "$1 did not finish, and left no reason: squeue or sacct say what became of its jobs, logs are in $logs."
}

# Waits until a job has ended, well or not.
wait_for() {
  local left
  while left=$(squeue --noheader --jobs="$1" 2>&1) || [[ $left != *"Invalid job id"* ]]; do
    [ -n "$left" ] || return 0
    sleep 5
  done
}

# run STAGE [OPTION OF SBATCH...]: runs a stage of one task, and sets `log` to what it has printed.
run() {
  submit "$1" 1 "${@:2}"
  wait_for "${jobs#:}"
  [ -e "$logs/$1.done" ] || explain "$1"
  log=$logs/$1-${jobs#:}_0.log
}

# Of the same name: a build of this asset that is still under way ends first.
run plan --dependency=singleton
plan=$log
if grep -qx unchanged "$plan"; then
  echo "$symbol is unchanged since its last build."
  exit
fi

after=()
# The plan's lines are its stages, in order, with their tasks.
stages=$(awk 'NF == 2 && $1 ~ /^[a-z]+$/ && $2 ~ /^[0-9]+$/ && $1 != "finish"' "$plan")
[ -n "$stages" ] || fail "the plan names no stages: see $plan."
while read -r stage tasks; do
  [ "$tasks" -gt 0 ] || continue
  submit "$stage" "$tasks" ${after+"${after[@]}"}
  after=("--dependency=afterok$jobs")
  echo "$stage: job ${jobs#:}, tasks: $tasks" >&2
done <<<"$stages"
run finish "${after[@]}"
cat "$log"
tell_attempts
