#!/bin/sh
# Writes the picture at the top of the README: some lines that the demo prints, in Terraform's
# colors. It has the changes of the imported schedule, and the error of the refused plan without the place in the
# configuration.
set -e
CLICOLOR_FORCE=1 bin/demo >bin/demo.ansi
{
	sed -n -e '/^\$ terraform plan/p' -e '/opsmanager_snapshot_schedule.ledger.* will be/,/^    }/{/will be\|imported from\|resource\|->/p; /^    }/{p; q;};}' bin/demo.ansi
	echo
	sed -n -e '/6\. By mistake/,/^\$ terraform plan/p' -e '/Would Be Reduced/,/╵/p' bin/demo.ansi
} | sed '/  with opsmanager_/d; /  on main.tf line/d; /m  [0-9]*: /d; /╵/d' | uniq >bin/picture.ansi
bin/freeze --config tools/freeze/terminal.json --language ansi --output .github/demo.svg bin/picture.ansi
