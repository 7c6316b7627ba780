#!/bin/sh
# Writes the picture at the top of the README: some lines that the demo prints, in Terraform's
# colors. Its grey is too dark on black, so the picture has a lighter one.
set -e
CLICOLOR_FORCE=1 bin/demo >bin/demo.ansi
sed -n \
	-e 's/\[90m/[38;5;245m/' \
	-e '/4\. In the console/,/^\$ terraform plan/p' \
	-e '/# opsmanager_snapshot_schedule.ledger.* will be updated/,/^\$ terraform apply/p' \
	-e '/Apply complete!.* 1 changed/p' \
	bin/demo.ansi >bin/picture.ansi
bin/freeze --config tools/freeze/terminal.json --language ansi --output .github/demo.svg bin/picture.ansi
