package emulator

// lags let reads return what was before a write, by the key of the written object.
type lags struct {
	behind map[string]*lag
	reads  int  // after each write
	also   bool // the response to the write
}

// lag is a document before a write, and the number of reads that still return it.
type lag struct {
	document map[string]any
	reads    int
}

// written returns the response to a write of the object with a key, and prepares stale
// reads.
func (l *lags) written(key string, before, after map[string]any) map[string]any {
	l.behind[key] = &lag{before, l.reads}
	if l.also {
		return before
	}
	return after
}

// read returns the response to a read, which may be stale.
func (l *lags) read(key string, document map[string]any) map[string]any {
	if !l.lagging(key) {
		return document
	}
	l.behind[key].reads--
	return l.behind[key].document
}

// lagging reports whether the next read is stale.
func (l *lags) lagging(key string) bool { return l.behind[key] != nil && l.behind[key].reads > 0 }
