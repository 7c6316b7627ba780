#!/bin/sh
# Looks for known vulnerabilities in what the provider calls. A database that
# cannot be reached is said aloud and is no failure: offline is where the other
# checks run as well.
out=$(bin/govulncheck ./... 2>&1) && { echo "govulncheck: $out"; exit 0; }
code=$?
case $out in
*"fetching vulnerabilities"*)
	echo "SKIPPED: govulncheck, which cannot reach its database:"
	echo "$out"
	exit 0
	;;
esac
echo "$out"
exit $code
