package inspect

import (
	"reflect"
	"testing"

	"plinth/internal/host/watch"
)

// TestByName checks that the processes of a server count as one.
func TestByName(t *testing.T) {
	all := []watch.BusyProcess{{Command: "cc1", CPU: 0.5}, {Command: "postgres", CPU: 0.25}, {Command: "postgres", CPU: 0.5}}
	want := []watch.BusyProcess{{Command: "postgres", CPU: 0.75}, {Command: "cc1", CPU: 0.5}}
	if got := ByName(all); !reflect.DeepEqual(got, want) || all[0].Command != "cc1" || all[1].CPU != 0.25 {
		t.Errorf("got %v of %v", got, all)
	}
}
