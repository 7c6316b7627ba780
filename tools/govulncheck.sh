#!/bin/sh
# Looks for known vulnerabilities in the code that the provider calls. If the database
# cannot be reached, the check is skipped, so make lint also works offline.
out=$(bin/govulncheck ./... 2>&1) && { echo "govulncheck: $out"; exit 0; }
code=$?
case $out in
*"fetching vulnerabilities"*)
	echo "SKIPPED: govulncheck, because its database cannot be reached:"
	echo "$out"
	exit 0
	;;
esac
echo "$out"
exit $code
