package host

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"plinth/internal/host/watch"
)

// plinth's own process is not listed among the busiest.
func TestBusyLookLeavesPlinthOut(t *testing.T) {
	look := lookAtProcesses()
	for began := CPUTime(); CPUTime() < began+100*time.Millisecond; {
		runtime.Gosched()
	}
	var i Inventory
	if err := look.end(context.Background(), &i); err != nil || len(i.Gaps) != 0 {
		t.Errorf("end: %v, gaps %v", err, i.Gaps)
	}
	if slices.ContainsFunc(i.Busiest, func(b watch.BusyProcess) bool { return b.PID == os.Getpid() }) {
		t.Errorf("plinth itself is among %v", i.Busiest)
	}
}

// A failed reading becomes a gap; the rest of the inventory is complete.
func TestBusyLookThatFails(t *testing.T) {
	var i Inventory
	look := lookAtProcesses()
	look.err = errors.New("no /proc")
	if err := look.end(t.Context(), &i); err != nil || !slices.Equal(i.Gaps, []Gap{{What: "busiest", Why: "no /proc"}}) {
		t.Errorf("%v, gaps %v", err, i.Gaps)
	}
}
