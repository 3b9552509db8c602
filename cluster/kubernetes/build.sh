#!/usr/bin/env bash
# Never run on a real cluster: checked against a stand-in for kubectl.
# Builds one asset on Kubernetes, stage by stage. The path of the asset file is relative to the shared volume.
#
#   IMAGE=registry.example.com/soprano:0.4.0 STORE=r2://soprano cluster/kubernetes/build.sh assets/HUM.json
#
# MEMORY is that of a task (default: 2G). The jobs run in kubectl's current namespace. It returns when the build is
# published. If it is interrupted, run it again: tasks that have finished are skipped.
set -euo pipefail
asset=${1:?"name an asset file on the shared volume"}
: "${IMAGE:?"name the image of Soprano"}" "${STORE:?"name the bucket, such as r2://soprano"}"
memory=${MEMORY:-2G}
template=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/stage.yaml
name=soprano-$(basename "$asset" .json | tr '[:upper:]._' '[:lower:]--')

fail() {
  echo "build.sh: $1" >&2
  exit 1
}

# Runs a stage to its end.
run() {
  local stage=$1 tasks=$2 job=$name-$1 ended
  kubectl delete job "$job" --ignore-not-found >&2
  sed -e "s|\$NAME|$name|; s|\$STAGE|$stage|g; s|\$TASKS|$tasks|; s|\$IMAGE|$IMAGE|; s|\$ASSET|$asset|" \
    -e "s|\$STORE|$STORE|; s|\$MEMORY|$memory|g" "$template" | kubectl create -f - >&2
  while :; do
    ended=$(kubectl get job "$job" --output='jsonpath={.status.conditions[?(@.status=="True")].type}')
    case $ended in
      *Complete*) return ;;
      *Failed*)
        # A task that was killed has said nothing.
        kubectl logs --selector="job-name=$job" --tail=1 --prefix | grep --max-count=1 'soprano: ' >&2 || true
        fail "$stage failed; \`kubectl describe job $job\` says which task."
        ;;
    esac
    sleep 5
  done
}

# What a stage of one task has printed: attempts that failed have pods of their own.
log() {
  local pod
  pod=$(kubectl get pods --selector="job-name=$name-$1" --field-selector=status.phase=Succeeded --output=name)
  kubectl logs "$pod"
}

run plan 1
plan=$(log plan)
if grep -qx unchanged <<< "$plan"; then
  echo "$asset is unchanged since its last build."
  exit
fi
for stage in map replay flows periods write finish; do
  tasks=$(awk -v stage="$stage" 'NF == 2 && $1 == stage { print $2 }' <<< "$plan")
  [ -n "$tasks" ] || fail "the plan says nothing of $stage: \`kubectl logs job/$name-plan\` shows it."
  if [ "$tasks" -gt 0 ]; then run "$stage" "$tasks"; fi
done
log finish
