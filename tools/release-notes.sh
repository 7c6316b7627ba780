#!/bin/sh
# Prints the section of CHANGELOG.md for a tag such as v0.1.0. It fails if the section
# is missing or empty.
set -eu
notes=$(awk -v version="${1#v}" '
	/^## / { inside = ($2 == version || $2 == "[" version "]"); next }
	inside
' "$(dirname "$0")/../CHANGELOG.md")
case $notes in
*[![:space:]]*) printf '%s\n' "$notes" | sed '/./,$!d' ;;
*)
	echo "CHANGELOG.md has no section for ${1#v}" >&2
	exit 1
	;;
esac
