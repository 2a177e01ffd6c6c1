package here

import (
	"context"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment/decode"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner"
)

// shown is a view that keeps what it is to show.
type shown struct {
	said   []string
	status []runner.Status
}

func (s *shown) Say(text string)         { s.said = append(s.said, text) }
func (s *shown) Status(of runner.Status) { s.status = append(s.status, of) }

// TestQueue: a search begins at the values of the device's queue: those of a partition's disk, or of an array.
func TestQueue(t *testing.T) {
	t.Parallel()
	disks := []host.Disk{{Name: "nvme0n1", Scheduler: "none"}, {Name: "sda", Scheduler: "mq-deadline"}}
	for name, c := range map[string]struct {
		layers []host.Layer
		want   map[string]string
	}{
		"partition": {[]host.Layer{{Name: "sda1", Kind: "partition"}, {Name: "sda", Kind: "disk", ReadAhead: 4 << 20}},
			map[string]string{"read_ahead_kb@data": "4096", "scheduler@data": "mq-deadline"}},
		"array":   {[]host.Layer{{Name: "md0", Kind: "md raid10", ReadAhead: 64 << 10}}, map[string]string{"read_ahead_kb@data": "64"}},
		"unknown": {nil, map[string]string{}},
	} {
		now := map[string]string{}
		if addQueue(now, host.Place{Layers: c.layers}, disks); !reflect.DeepEqual(now, c.want) {
			t.Errorf("%s: %v, want %v", name, now, c.want)
		}
	}
}

// TestMount: a search begins at the options with which the data's mount writes timestamps. What the kernel does not show is in force.
func TestMount(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]string{
		"rw,relatime,attr2,inode64":     "relatime,nolazytime",
		"rw,noatime,lazytime,commit=30": "noatime,lazytime",
		"rw,lazytime":                   "strictatime,lazytime",
		"":                              "",
	} {
		now := map[string]string{}
		if addMount(now, host.Place{Options: options}); now["options@data"] != want {
			t.Errorf("%s: %v, want %s", options, now, want)
		}
	}
}

// TestView: a search shows warnings of its experiments and the changes with which rounds begin, each once, and the time that is left of the search.
func TestView(t *testing.T) {
	t.Parallel()
	var out shown
	ticks := 0
	said := map[string]bool{}
	for range 2 { // two experiments of one search
		v := &view{View: &out, of: "round-1", left: func() time.Duration { return time.Hour }, tick: func() { ticks++ }, said: said}
		v.Say("changes to this machine for mix-1: vm.swappiness 10 (now 60)")
		v.Say("changes to this machine for incumbent: vm.swappiness 1 (now 60)")
		v.Say("warning: the disk is slow")
		v.Status(runner.Status{Step: "starting", Environment: "first"})
		v.Status(runner.Status{Step: "starting", Environment: "second"})
		v.Status(runner.Status{Step: "driving", Environment: "first", Run: 1, Left: time.Second})
		v.Status(runner.Status{Step: "driving", Run: 1, Ended: true})
		if want := []string{"first", "second"}; !reflect.DeepEqual(v.up(nil), want) {
			t.Errorf("%v are up, want %v", v.up(nil), want)
		}
	}
	if want := []string{"changes to this machine with which rounds begin: vm.swappiness 1 (now 60)", "warning: the disk is slow"}; !reflect.DeepEqual(out.said, want) {
		t.Errorf("said %q", out.said)
	}
	if ticks != 2 || len(out.status) != 6 {
		t.Errorf("%d ticks, %d states: %+v", ticks, len(out.status), out.status)
	}
	for i, want := range []string{"round-1, first", "round-1, first", "round-1"} {
		if s := out.status[i]; s.Environment != want || s.Left != time.Hour {
			t.Errorf("%+v, want %s with an hour left", s, want)
		}
	}
}

// TestUp: before the first run, the environment that is put up last may be starting. Those that have runs have started.
func TestUp(t *testing.T) {
	t.Parallel()
	v := &view{View: &shown{}, left: func() time.Duration { return time.Hour }, tick: func() {}, said: map[string]bool{}}
	if got := v.up(nil); len(got) != 0 {
		t.Errorf("%v are up before any", got)
	}
	v.Status(runner.Status{Step: "starting", Environment: "first"})
	v.Status(runner.Status{Step: "starting", Environment: "second"})
	if got, want := v.up(nil), []string{"first"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v are up, want %v", got, want)
	}
	earlier := &record.Record{Runs: []record.Run{{RunID: record.RunID{Environment: "second"}}}}
	if got, want := v.up(earlier), []string{"first", "second"}; !reflect.DeepEqual(got, want) {
		t.Errorf("resumed: %v are up, want %v", got, want)
	}
	v.Status(runner.Status{Step: "driving", Environment: "first", Run: 1})
	if got, want := v.up(nil), []string{"first", "second"}; !reflect.DeepEqual(got, want) {
		t.Errorf("in the first run, %v are up, want %v", got, want)
	}
}

// TestBegun: the record of an experiment that was begun is the latest one with its name.
func TestBegun(t *testing.T) {
	t.Parallel()
	m := Machine{Options: runner.Options{Store: filepath.Join(t.TempDir(), "[records]")}}
	if rec, err := m.Begun("round-1"); rec != nil || err != nil {
		t.Errorf("%v, %v where nothing was begun", rec, err)
	}
	begun := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for i, name := range []string{"round-1", "round-1", "round-10"} {
		w, err := record.Create(m.Options.Store, name, begun.Add(time.Duration(i)*time.Hour), &record.Summary{Name: name}, []byte("question: Which?\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := m.Begun("round-1")
	if err != nil || rec.Summary.Name != "round-1" || !rec.Summary.Created.Equal(begun.Add(time.Hour)) {
		t.Errorf("%+v, %v", rec, err)
	}
}

// TestScope: the values of this machine are known, and the queue of a disk may be tried only where the data is on a disk of the
// machine, which may be changed.
func TestScope(t *testing.T) {
	t.Parallel()
	root, err := host.ReadInventory(t.Context(), map[string]string{"root": "/"})
	if err != nil || len(root.Places) != 1 {
		t.Fatal(root.Places, err)
	}
	for text, disks := range map[string]bool{
		"allow_host: true\nenvironments: {orders: {storage: {data: /}}}\n":              true,
		"environments: {orders: {storage: {data: /}}}\n":                                false,
		"allow_host: true\nenvironments: {orders: {storage: {data: {emulate: gp3}}}}\n": false,
	} {
		e, _, err := decode.Parse("orders.yaml", []byte("question: Which?\nworkloads: [select-only]\n"+text), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var m Machine
		scope, err := m.Scope(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		if scope.Disks != disks || scope.Now["vm.swappiness"] == "" || scope.Facts.CPUs == 0 {
			t.Errorf("%s: %+v", text, scope)
		}
		var want string
		if strings.Contains(text, "data: /") && root.Places[0].Device() != "" {
			want = strconv.FormatInt(root.Places[0].ReadAhead()>>10, 10)
		}
		if got := scope.Now["read_ahead_kb@data"]; got != want {
			t.Errorf("%s: a read-ahead of %q kB, want %q", text, got, want)
		}
	}
}
