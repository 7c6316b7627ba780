package emulator

// lag is a document before a write, and the number of reads that still return it.
type lag struct {
	document map[string]any
	reads    int
}

// written returns the response to a write of the object with a key, and prepares stale
// reads.
func (e *Emulator) written(key string, before, after map[string]any) map[string]any {
	if before == nil || e.options.StaleReads == 0 && !e.options.StaleResponses {
		return after
	}
	e.lags[key] = &lag{before, e.options.StaleReads}
	if e.options.StaleResponses {
		return before
	}
	return after
}

// read returns the response to a read, which may be stale.
func (e *Emulator) read(key string, document map[string]any) map[string]any {
	if !e.lagging(key) {
		return document
	}
	e.lags[key].reads--
	return e.lags[key].document
}

// lagging reports whether the next read is stale.
func (e *Emulator) lagging(key string) bool { return e.lags[key] != nil && e.lags[key].reads > 0 }
