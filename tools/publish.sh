#!/bin/sh
# Gives the provider the source address and the module path of a GitHub account, once, before the
# first public release: tools/publish.sh OWNER. See RELEASING.md.
set -e
owner=${1:?usage: tools/publish.sh OWNER}
cd "$(dirname "$0")/.."
module=github.com/$owner/terraform-provider-opsmanager

# replace EXPRESSION PATTERN [PATHS] edits the tracked files that match a pattern.
replace() {
	expression=$1 pattern=$2
	shift 2
	git grep -lzE "$pattern" -- "$@" ':!tools/publish.sh' ':!RELEASING.md' | xargs -0 sed -E -i.unpublished "$expression"
	find . -name '*.unpublished' -exec rm {} +
}

# The source address. The command that changes it in a state keeps the old one, and so does make install: see
# GNUmakefile. Each of Terraform and OpenTofu has its own host for the source of a configuration, which has none.
local='terraform\.local/local/opsmanager' public=registry.terraform.io/$owner/opsmanager
replace "/replace-provider/!s#$local#$public#g" "$local" . ':!docs' ':!release_test.go'
replace "s#((source *= *\\\\?|required\()\")$public#\\1$owner/opsmanager#g" "$public" . ':!docs'
replace "/^- Installed|^terraform providers lock/s#$public#$owner/opsmanager#" "$public" templates
replace 's#("OpenTofu": *")registry\.terraform\.io/#\1registry.opentofu.org/#' '"OpenTofu": ' internal/tools/tfcli
replace "s#terraform\.local/\*/\*#$owner/*#g" 'terraform\.local/\*/\*' . ':!docs'

# The module path, in imports, in flags of the linker, in modules that need it, and in the rules of the linter.
replace "s#-X=terraform-provider-opsmanager/#-X=$module/#g" 'X=terraform-provider-opsmanager/' '*.go' ':!release_test.go'
replace "s#\"terraform-provider-opsmanager([/\"])#\"$module\\1#g" '"terraform-provider-opsmanager[/"]' '*.go' ':!release_test.go'
replace "s#terraform-provider-opsmanager#$module#g" 'terraform-provider-opsmanager' '*go.mod' .golangci.yml
go -C internal/tools/bench mod tidy # sorts the new path

# The address of the repository, and who reviews changes.
replace "s#OWNER/#$owner/#g" 'OWNER/' README.md SECURITY.md templates .github
replace "s#@OWNER#@$owner#g" '@OWNER' .github/CODEOWNERS

tools/links.sh "$owner"
git grep -nE 'terraform\.local|OWNER' -- ':!docs' ':!tools/links.sh' ':!tools/publish.sh' ':!RELEASING.md' || true
