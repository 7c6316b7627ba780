# Writes an import block for each object that terraform query -json finds. It gets the name of the object,
# and for clusters that of the project as well, in characters that Terraform allows.
select(.type == "list_resource_found").list_resource_found
| ([(.address | capture("\\[\"(?<project>.*)\"\\]$").project), .display_name] | join("_")
  | gsub("[^0-9A-Za-z_-]+"; "_") | sub("_+$"; "") | sub("^(?<first>[0-9-])"; "_\(.first)")) as $name
| "import {", "  to = \(.resource_type).\($name)", "  identity = {",
  (.identity | to_entries[] | "    \(.key) = \(.value | tojson)"), "  }", "}", ""
