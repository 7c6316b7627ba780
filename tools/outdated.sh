#!/bin/sh
# Names the direct dependencies that are behind by more than a minor version. It never fails: the result of make lint
# does not depend on the network, or on the day.
direct=$(go list -m -f '{{if not (or .Main .Indirect)}}{{.Path}}{{end}}' all)
newer='{{if .Update}}{{.Path}} {{.Version}} {{.Update.Version}}{{end}}'
found=$(go list -m -u -f "$newer" $direct 2>/dev/null) || { echo 'SKIPPED: newer versions, because the module proxy cannot be reached'; exit 0; }
printf '%s\n' "$found" | awk 'NF {
	split(substr($2, 2), has, "."); split(substr($3, 2), newest, ".")
	if (newest[1] != has[1] || newest[2] > has[2] + 1) print "OUTDATED: " $1 " " $2 ", newest " $3
}'
