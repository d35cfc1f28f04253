#!/usr/bin/env bash
# Judges an implementation and leaves with the status of the run.
# Reads SUITE, IUT, PROTOCOL, ROLE, GATE, BASELINE, ARGUMENTS, REPORT; step outputs: status, report, and findings, which
# the report for GitHub writes itself.
set -ufo pipefail
mkdir -p "$REPORT" || exit
asked=(run --gate "$GATE" --out "$REPORT/run")
asked+=(--report github= --report "github=$REPORT")
asked+=(--report "html=$REPORT/index.html" --report "junit=$REPORT/junit.xml" --report "sarif=$REPORT/run.sarif")
while IFS= read -r line; do
  [ -z "$line" ] || asked+=(--iut "$line")
done <<<"$IUT"
for name in $PROTOCOL; do asked+=(--protocol "$name"); done
for name in $ROLE; do asked+=(--role "$name"); done
[ -z "$BASELINE" ] || asked+=(--baseline "$BASELINE")
while IFS= read -r line; do
  [ -z "$line" ] || asked+=("$line")
done <<<"$ARGUMENTS"
"$SUITE" "${asked[@]}"
status=$?
{
  echo "status=$status"
  echo "report=$REPORT"
} >>"$GITHUB_OUTPUT"
exit "$status"
