# The drill. It fails if a condition of main.tf does. Each run has a new state, so
# each run restores.
run "the_newest_snapshot_restores" {
}
