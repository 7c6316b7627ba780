#!/bin/sh
# Prepares a rehearsal of the configuration in a folder: a copy of the folder beside it, with a copy of the
# state and an override file that leads to an emulator. The folder and its state stay as they are.
#
#   TERRAFORM=terraform ADDR=127.0.0.1:8080 tools/rehearse.sh FOLDER
set -eu
umask 077 # a state has secrets

folder=${1:?"the folder of the configuration is missing: make rehearse DIR=~/backups"}
case $folder in "~/"*) folder=$HOME/${folder#"~/"} ;; esac # make may not have expanded it
folder=$(cd "$folder" && pwd)
copy=$folder-rehearsal
if ! mkdir "$copy"; then # before the trap: another one may be preparing it
	echo "rehearse: if $copy exists, delete it to begin again" >&2
	exit 1
fi
failed=$copy/.failed-$$
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM

# The variables of the caller that lead Terraform to another state.
elsewhere=$(awk 'BEGIN {
	for (name in ENVIRON)
		if (name ~ /^TF_(DATA_DIR|WORKSPACE)$/ && ENVIRON[name] != "" || name ~ /^TF_CLI_ARGS[A-Za-z_]*$/ && ENVIRON[name] ~ /-(state|back)/)
			print name
}' | sort | tr '\n' ' ')
elsewhere=${elsewhere% }

# The status of a pipe is that of its right side.
(cd "$folder" && tar cf - --exclude './.git' --exclude '.terraform' --exclude './terraform.tfstate*' . || : >"$failed") | (cd "$copy" && tar xf -)
if [ -e "$failed" ]; then
	echo "rehearse: $folder could not be copied completely" >&2
	exit 1
fi
chmod 700 "$copy" # tar gives it the mode of the folder

# Not in the folder itself, because init would move a state in terraform.tfstate to the other backend.
rm -f "$copy/rehearsal.tfstate" "$copy/rehearsal_override.tf"
(cd "$folder" && "$TERRAFORM" state pull) >"$copy/rehearsal.tfstate"
[ -s "$copy/rehearsal.tfstate" ] || rm "$copy/rehearsal.tfstate"
# shellcheck disable=SC2086 # several names
[ -z "$elsewhere" ] || unset $elsewhere
cat >"$copy/rehearsal_override.tf" <<END
terraform {
  backend "local" {
    path = "rehearsal.tfstate"
  }
}

provider "opsmanager" {
  base_url    = "http://$ADDR"
  public_key  = "emulator"
  private_key = "00000000-1111-2222-3333-444444444444"
}
END
(cd "$copy" && OPSMANAGER_REHEARSAL=1 "$TERRAFORM" init -input=false >/dev/null)
# Another override file may have a backend, too.
if ! tr -d '[:space:]' <"$copy/.terraform/terraform.tfstate" | grep -q '"backend":{"type":"local","config":{"path":"rehearsal.tfstate",'; then
	echo "rehearse: the state of the rehearsal would not be rehearsal.tfstate. Another override file in $folder probably has a backend: move it away, and run this again." >&2
	exit 1
fi
trap - EXIT

echo "The rehearsal is in $copy. In each shell, go there and run:"
echo
[ -z "$elsewhere" ] || echo "unset $elsewhere"
echo "export OPSMANAGER_REHEARSAL=1"
