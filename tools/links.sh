#!/bin/sh
# Makes the links between the pages absolute, because no relative link works on GitHub and in both registries:
# tools/links.sh OWNER. See internal/tools/documents/registries_test.go.
set -e
cd "${2:-$(dirname "$0")/..}"
pages=https://registry.terraform.io/providers/${1:?usage: tools/links.sh OWNER}/opsmanager/latest/docs
folder='(actions|data-sources|guides|list-resources|resources)'
page='([a-z0-9_-]+|\{\{[^}]*\}\})'

sed -E -i.relative "s#\]\($folder/$page\.md#]($pages/\1/\2#g" docs/index.md templates/index.md.tmpl
sed -E -i.relative "s#\]\($page\.md#]($pages/guides/\1#g" docs/guides/*.md templates/guides/*.tmpl
find docs templates -name '*.md*' ! -name '*.relative' \
	-exec sed -E -i.relative "s#([(\"])\.\./index\.md#\1$pages#g; s#([(\"])\.\./$folder/$page\.md#\1$pages/\2/\3#g" {} +
find docs templates -name '*.relative' -exec rm {} +
