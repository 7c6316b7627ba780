# 'terraform test -test-directory=gate' fails if a rule is broken, and prints which one.
run "no_rule_is_broken" {
  command = plan
}
