package imported

import "testing"

func TestIsBelow(t *testing.T) {
	for _, c := range []struct {
		root, directory string
		want            bool
	}{
		{".", "disk", true}, {".", ".", false}, {"results", "results/disk", true}, {"/r", "/r/disk/1", true},
		{"results", "results-2", false}, {"results/disk", "results", false}, {"", "disk", false}, {"/", "/r", true},
	} {
		if got := isBelow(c.root, c.directory); got != c.want {
			t.Errorf("%q is below %q: %t", c.directory, c.root, got)
		}
	}
}
