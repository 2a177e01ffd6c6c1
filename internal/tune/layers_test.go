package tune

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/journal/journaltest"
)

// A server's settings are set persistently, applied by the server, and undone; those that need a
// restart are set and take effect later.
func TestServerSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = newServer()
	w.server.lasting["work_mem"], w.server.values["work_mem"] = "4MB", "4MB"
	w.play("apply vm.swappiness=10, bgwriter_delay=10ms, shared_buffers=1GB, work_mem=8MB")
	if w.server.values["bgwriter_delay"] != "10ms" || w.server.values["shared_buffers"] != "128MB" || w.server.lasting["shared_buffers"] != "1GB" {
		t.Errorf("applied: %+v", w.server)
	}
	w.play("rollback; expect before; expect nothing left")
	if w.server.values["bgwriter_delay"] != "200ms" || len(w.server.lasting) != 1 || w.server.lasting["work_mem"] != "4MB" || w.server.values["work_mem"] != "4MB" {
		t.Errorf("put back: %+v", w.server)
	}
	w.play("apply work_mem=8MB, bgwriter_delay=10ms")
	w.server.lasting["work_mem"] = "64MB"
	w.play("rollback fails; rollback fails; expect something left")
	if len(w.server.lasting) != 1 || w.server.lasting["work_mem"] != "64MB" {
		t.Errorf("somebody else's: %+v", w.server)
	}
}

// A rollback that ended before the server read its settings again is completed by the next one.
func TestServerReadsAgain(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.values["work_mem"] = "64MB" // still in force
	args, err := json.Marshal(serverChange{Server: "s", Knob: "work_mem", Set: "64MB"})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&undo{servers: map[string]Server{"s": s}}).undoServer(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	if want := newServer().values["work_mem"]; s.values["work_mem"] != want {
		t.Errorf("work_mem is %s, want %s", s.values["work_mem"], want)
	}
}

// A value that the server stores in another spelling is recognised as plinth's.
func TestServerThatSpellsOtherwise(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = newServer()
	w.server.values["search_path"] = "public"
	w.server.spells = map[string]string{"a,b": `a, b`}
	w.play("apply search_path=a,b; expect something left; rollback; expect nothing left")
	if len(w.server.lasting) > 0 {
		t.Errorf("it still has %v", w.server.lasting)
	}
}

// A server that does not apply its settings has everything undone, kernel values included.
func TestServerThatDoesNotListen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = newServer()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.server.deaf = cancel // or the test would wait for the timeout
	r := w.request(valuesOf("vm.swappiness=10, bgwriter_delay=10ms")...)
	p, err := Make(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Keep(ctx, w.dir, UntilReboot, r, p); err == nil || !strings.Contains(err.Error(), "the server still has 200ms") {
		t.Errorf("%v", err)
	}
	w.play("expect before; expect nothing left")
	if len(w.server.lasting) != 0 {
		t.Errorf("left: %+v", w.server)
	}
	if _, err = Keep(ctx, w.dir, UntilReboot, r, p); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	w.play("expect before; expect nothing left")
}

// A rollback never touches a server other than the one in the journal.
func TestServerThatIsNotReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = newServer()
	w.play("apply vm.swappiness=10, bgwriter_delay=10ms")
	server := w.server
	w.server = nil
	w.play("rollback fails; expect vm.swappiness=60; expect something left")
	if server.lasting["bgwriter_delay"] != "10ms" {
		t.Errorf("%+v", server)
	}
	w.server = server
	w.play("rollback; expect before; expect nothing left")
}

// A domain is redefined once with all of its values, and restored exactly, also after a reboot of
// the host.
func TestDomain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const was = "name vm1\nvcpupin 0=1\n"
	w.domain = &fakeDomain{xml: was}
	w.play("apply vm.swappiness=10, numatune=strict 1, emulatorpin=2")
	if w.domain.xml != "emulatorpin 2\nname vm1\nnumatune strict 1\nvcpupin 0=1\n" {
		t.Errorf("applied: %q", w.domain.xml)
	}
	w.play("rollback; expect before; expect nothing left")
	if w.domain.xml != was {
		t.Errorf("put back: %q", w.domain.xml)
	}
	w.play("apply numatune=strict 1")
	w.machine.boot = "another"
	w.play("rollback; expect nothing left")
	if w.domain.xml != was {
		t.Errorf("put back after a reboot: %q", w.domain.xml)
	}
	w.play("apply numatune=strict 1")
	w.domain.xml += "title changed by hand\n"
	w.play("rollback fails; expect something left; adopt; expect nothing left")
	if !strings.Contains(w.domain.xml, "by hand") {
		t.Errorf("left: %q", w.domain.xml)
	}
	w.domain.xml = was
	w.play("crash after 1; apply vcpupin=0=5, vm.swappiness=10; rollback; expect before")
	if w.domain.xml != was {
		t.Errorf("put back after a crash: %q", w.domain.xml)
	}
}

// Mount options are added to the existing ones, and undone.
func TestMountOptions(t *testing.T) {
	t.Parallel()
	const was = "rw,nosuid,relatime,errors=remount-ro"
	for _, tc := range []struct{ options, want string }{
		{"noatime", "rw,nosuid,noatime,errors=remount-ro"},
		{"noatime,commit=30", "rw,nosuid,noatime,errors=remount-ro,commit=30"},
		{"discard", "rw,nosuid,relatime,errors=remount-ro,discard"},
		{"commit=5,nodiscard,barrier", was}, // already in force
		{"noauto_da_alloc,stripe=16,max_batch_time=0", was + ",noauto_da_alloc,stripe=16,max_batch_time=0"},
		{"strictatime", "rw,nosuid,errors=remount-ro"},
	} {
		w := newWorld(t)
		w.machine.mounts = []host.Filesystem{
			{MountPoint: "/mnt/data", Type: "xfs", Options: "rw", ID: "1:1"}, // hidden by the next one
			{MountPoint: "/mnt/data", Type: "ext4", Options: was, ID: "7:7"},
		}
		mounted := &w.machine.mounts[1]
		w.play("apply options@data=" + tc.options)
		if mounted.Options != tc.want {
			t.Errorf("%s: %s", tc.options, mounted.Options)
		}
		w.play("rollback; expect nothing left")
		if mounted.Options != was {
			t.Errorf("%s: put back: %s", tc.options, mounted.Options)
		}
		w.play("apply options@data=" + tc.options)
		if tc.want == was {
			continue // nothing is kept
		}
		mounted.Options = "rw,nosuid,nodev,relatime"
		w.play("rollback fails; expect something left; adopt")
		mounted.Options = was
		w.play("apply options@data=" + tc.options)
		mounted.ID = "7:8" // another filesystem is mounted there now
		now := mounted.Options
		w.play("rollback; expect nothing left")
		if mounted.Options != now || w.machine.mounts[0].Options != "rw" {
			t.Errorf("%s: another filesystem: %s", tc.options, mounted.Options)
		}
	}
}

// applied plans and applies values with a journal of its own.
func applied(t *testing.T, w *world, j *journal.Journal, values string) *Applied {
	t.Helper()
	r := w.request(valuesOf(values)...)
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Apply(t.Context(), j, r, p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Apply with a separate journal, as an experiment does: undone, and applied again.
func TestApplyAndPutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	j := journaltest.Open(t, Undoers(w.machine))
	for range 2 {
		a := applied(t, w, j, "vm.swappiness=10, scheduler@data=kyber, vm.zone_reclaim_mode=0, scaling_governor=powersave")
		knobs := a.Knobs()
		if len(knobs) != 4 || knobs[0].Was != "60" || knobs[0].Value != "10" || !knobs[0].Host || knobs[1].NotApplicable == "" || knobs[2].Value != "powersave" {
			t.Errorf("recorded: %+v", knobs)
		}
		w.play("expect vm.swappiness=10, scheduler@data=kyber")
		if err := errors.Join(a.PutBack(t.Context()), a.PutBack(t.Context())); err != nil {
			t.Error(err)
		}
		w.play("expect before")
		if len(j.Entries()) != 0 {
			t.Errorf("left: %v", j.Entries())
		}
	}
}

// The kernel allocates huge pages bit by bit: the write is repeated, but not forever.
func TestHugePagesByParts(t *testing.T) {
	t.Parallel()
	for found, want := range map[int64]string{20: "89", 5: "0"} {
		w := newWorld(t)
		w.machine.found = found
		j := journaltest.Open(t, Undoers(w.machine))
		r := w.request(valuesOf("vm.nr_hugepages=89")...)
		p, err := Make(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Apply(t.Context(), j, r, p)
		if want == "0" && (err == nil || !strings.Contains(err.Error(), "the kernel set it to 40")) {
			t.Errorf("%d at a time: %v", found, err)
		}
		if want != "0" && err != nil {
			t.Errorf("%d at a time: %v", found, err)
		}
		if got := w.machine.files[hugePages]; got != want {
			t.Errorf("%d at a time: there are %s", found, got)
		}
		if a != nil {
			if err := a.PutBack(t.Context()); err != nil {
				t.Error(err)
			}
		}
		w.play("expect before")
	}
}

// A process that has just ended may still hold huge pages: PutBack waits for them.
func TestPutBackWaitsForHugePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	j := journaltest.Open(t, Undoers(w.machine))
	a := applied(t, w, j, "vm.nr_hugepages=40")
	w.machine.inUse, w.machine.freed = 5, map[string]string{}
	if err := a.PutBack(t.Context()); err != nil {
		t.Error(err)
	}
	if w.machine.inUse > 0 {
		t.Error("no page was in use")
	}
	w.play("expect before")
}

// PutBack reports and leaves what another process changed, also during an experiment.
func TestPutBackLeavesWhatIsTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	r := w.request(valuesOf("vm.swappiness=10, vm.dirty_ratio=5")...)
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Apply(t.Context(), j, r, p)
	if err != nil {
		t.Fatal(err)
	}
	w.machine.files[swappiness] = "33"
	err = a.PutBack(t.Context())
	var theirs *TheirsError
	var notBack *PutBackError
	if !errors.As(err, &theirs) || !errors.As(err, &notBack) || theirs.Knob != "vm.swappiness" || theirs.Was != "60" || theirs.Set != "10" || theirs.Have != "33" {
		t.Errorf("%v", err)
	}
	w.play("expect vm.swappiness=33, vm.dirty_ratio=20")
	if n := len(j.Entries()); n != 3 { // it, and the end, which marks it as theirs
		t.Errorf("%d entries are left: %v", n, j.Entries())
	}
	w.machine.files[swappiness] = "60"
	if err := errors.Join(j.PutBack(t.Context(), Undoers(w.machine)), j.Close()); err != nil {
		t.Error(err)
	}
}

// A plan that cannot be applied completely is not started.
func TestNothingIsHalfDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.machine.refuse[dirtyRatio] = true
	r := w.request(valuesOf("vm.swappiness=10, vm.dirty_ratio=5")...)
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Keep(t.Context(), w.dir, UntilReboot, r, p)
	if err == nil || !strings.Contains(err.Error(), "only root can write") || w.machine.writes != 0 {
		t.Errorf("%v after %d writes", err, w.machine.writes)
	}
	w.play("expect before; expect nothing left")
}

// What holds only around a command is held until Close, and no longer.
func TestAround(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.machine.files["/dev/cpu_dma_latency"] = ""
	r := w.request(valuesOf("cpu_dma_latency=0, cpus=0-1,3, mems=0, numa_policy=interleave 0-1, vm.swappiness=10")...)
	r.Values = append(r.Values[:1], valuesOf("mems=0, numa_policy=interleave 0-1, vm.swappiness=10")...)
	r.Held = true
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Around(t.Context(), r, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.machine.held) != 1 || w.machine.held[0] != "/dev/cpu_dma_latency [0 0 0 0]" || len(h.Knobs()) != 3 {
		t.Errorf("held: %v, %+v", w.machine.held, h.Knobs())
	}
	placed := h.Command(launch.Command{}).Placement
	if placed == nil || placed.Policy != launch.Interleave || len(placed.Nodes) != 2 {
		t.Errorf("placed: %+v", placed)
	}
	if err := h.Close(); err != nil || w.machine.held != nil {
		t.Errorf("%v, held still: %v", err, w.machine.held)
	}
	w.play("expect before") // swappiness is for Apply
}
