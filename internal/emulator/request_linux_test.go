package emulator

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestQueueIsSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dues := rapid.SliceOf(rapid.Int64Range(0, 50)).Draw(t, "dues")
		var q queue
		var got []int64
		for i, due := range dues {
			q.push(&request{due: time.Duration(due)})
			if i%3 == 2 { // some are removed in between
				got = append(got, int64(q.pop().due))
			}
		}
		var rest []int64
		for len(q) > 0 {
			rest = append(rest, int64(q.pop().due))
		}
		if !slices.IsSorted(rest) {
			t.Errorf("not in order: %v", rest)
		}
		all := append(got, rest...)
		slices.Sort(all)
		slices.Sort(dues)
		if !slices.Equal(all, dues) {
			t.Errorf("%v became %v", dues, all)
		}
	})
}
