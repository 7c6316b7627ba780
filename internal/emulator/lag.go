package emulator

// lag is a document before a write, and the number of reads that still return it.
type lag struct {
	document map[string]any
	reads    int
}

// isBehind reports whether the next read of an object returns what was before a write.
func (e *Emulator) isBehind(key string) bool {
	return e.behind[key] != nil && e.behind[key].reads > 0
}
