#!/usr/bin/env bash
# A night: fetches what is new, builds what could be fetched, verifies it, removes old builds, and posts alerts. Needs jq.
# Exits with 1 if anything failed. Credentials are in the environment, the store's name may be.
set -uo pipefail
store=${SOPRANO_STORE:-r2://soprano} failed=0
compgen -G 'assets/*.json' > /dev/null || { echo "There is no assets/*.json yet: soprano init writes one."; exit 0; }
sources=$(jq -r 'select(.source) | input_filename' assets/*.json | xargs)
[ -z "$sources" ] || npx soprano fetch $sources --store "$store" --report fetched.json || failed=1
npx soprano build assets/*.json ${sources:+--fetch-report fetched.json} --store "$store" --report report.json || failed=1
symbols=$(jq -r '.assets[] | select(.build) | .symbol' report.json) && [ -n "$symbols" ] || exit 1
npx soprano verify $symbols --store "$store" && npx soprano gc $symbols --keep 7 --store "$store" || failed=1
[ ! -f ALERTS.json ] || npx soprano alerts ALERTS.json --store "$store" || failed=1
exit $failed
