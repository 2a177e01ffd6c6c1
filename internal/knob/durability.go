package knob

// Weakens says whether a value can lose or damage what a database has acknowledged, in
// a crash or a power cut.
func (k Knob) Weakens(value string) bool {
	if k.Kind == Options {
		return unsafeOptions(value)
	}
	for _, unsafe := range k.Unsafe {
		if k.Same(unsafe, value) {
			return true
		}
	}
	return false
}

// LosesMore says whether Redis loses more with a value than with another one, by its
// design: appendfsync everysec than always.
func (k Knob) LosesMore(value, than string) bool {
	return k.persistence(value) < k.persistence(than)
}

// persistence is the place of a value among those that say how much a crash may lose.
func (k Knob) persistence(value string) int {
	for i, weak := range k.Persistence {
		if k.Same(weak, value) {
			return i
		}
	}
	return len(k.Persistence)
}
