#!/usr/bin/env bash
# Writes the comment of a pull request: a new one only where the run is not green, and an old one in any case.
# Reads GH_TOKEN, GITHUB_REPOSITORY, NUMBER, STATUS, REPORT. A token that may only read leaves a notice.
set -uo pipefail
body="$REPORT/comment.md"
[ -f "$body" ] || exit 0
marker=$(head -n 1 "$body")
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
old=$(MARKER="$marker" gh api "$comments" --paginate --jq '.[] | select(.body | startswith(env.MARKER)) | .id' | head -n 1)
if [ -n "$old" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" --field "body=@$body"
elif [ "$STATUS" != 0 ]; then
  gh api --silent --method POST "$comments" --field "body=@$body"
fi || echo "::notice title=ticdc-conformance::The token may not comment here; the summary of the job has the same text."
