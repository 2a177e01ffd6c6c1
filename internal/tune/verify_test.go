package tune

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The effects of a plan are read where they show: in the server's process and in the kernel's own
// statistics.
func TestVerify(t *testing.T) {
	t.Parallel()
	page := int64(os.Getpagesize())
	const maps = `00400000 default file=/usr/lib/postgresql/bin/postgres mapped=1 N0=20 kernelpagesize_kB=4
7f0000000000 bind:1 file=/anon_hugepage\040(deleted) huge dirty=70 N1=%d N0=%d kernelpagesize_kB=2048
7f1000000000 default heap anon=3 dirty=3 N1=3 kernelpagesize_kB=4
`
	for _, tc := range []struct {
		values string
		change func(*fakeMachine, *fakeServer)
		bad    string // keys that are not in force
		words  string // of values, and their evidence
		checks int
	}{
		{values: "vm.swappiness=60", checks: 1, words: "60 /proc/sys/vm/swappiness"},
		{values: "vm.swappiness=61", checks: 1, bad: "vm.swappiness"},
		{values: "vm.swappiness=61", checks: 1, change: func(m *fakeMachine, _ *fakeServer) { m.readOnly = true }, bad: "vm.swappiness"},
		{values: "ssl_passphrase_command=cat", checks: 0},
		{values: "scaling_governor=powersave", checks: 1, words: "powersave"},
		{values: "vm.zone_reclaim_mode=0", checks: 0},
		{values: "cpus=0-1, mems=1, huge_pages=on", checks: 5, bad: "huge_pages", words: "node 1: 140"}, // try, until it starts
		{values: "cpus=0-3, mems=0", checks: 3, bad: "cpus mems mems"},
		{values: "mems=1", checks: 2, change: func(m *fakeMachine, _ *fakeServer) {
			m.files["/proc/77/numa_maps"] = fmt.Sprintf(maps, 50, 20)
		}, bad: "mems", words: "node 0: 40"},
		{values: "huge_pages=try", checks: 2, words: "HugetlbPages"},
		{values: "huge_pages=try", checks: 2, change: func(m *fakeMachine, _ *fakeServer) {
			m.files["/proc/77/status"] = "HugetlbPages:	       0 kB\n"
		}, bad: "huge_pages", words: "none"},
		{values: "vm.dirty_bytes=1048576", checks: 2, bad: "vm.dirty_bytes vm.dirty_bytes"},
		{values: "vm.dirty_ratio=20, vm.dirty_background_ratio=10", checks: 4, words: "nr_dirty_threshold"},
		{values: "vm.dirty_ratio=20", checks: 2, change: func(m *fakeMachine, _ *fakeServer) {
			m.files["/proc/vmstat"] = fmt.Sprintf("nr_dirty_threshold %d\n", 8000000*1024/page)
		}, bad: "vm.dirty_ratio"},
		{values: "bgwriter_delay=200ms", checks: 1, words: "PostgreSQL in /data"},
		{values: "numatune=strict 1", checks: 1, words: "next start"},
	} {
		w := newWorld(t)
		w.server, w.domain = newServer(), &fakeDomain{xml: "numatune strict 1\n"}
		w.server.pid = 77
		w.machine.files["/proc/77/status"] = "Name:	postgres\nHugetlbPages:	  143360 kB\nCpus_allowed_list:	0-1\nMems_allowed_list:	1\n"
		w.machine.files["/proc/77/numa_maps"] = fmt.Sprintf(maps, 70, 0)
		w.machine.files["/proc/vmstat"] = fmt.Sprintf("nr_dirty 5\nnr_dirty_threshold %d\nnr_dirty_background_threshold %d\n", 2000000*1024/page, 1000000*1024/page)
		w.machine.files["/sys/devices/system/cpu/online"], w.machine.files["/sys/devices/system/node/online"] = "0-3", "0-1"
		if tc.change != nil {
			tc.change(w.machine, w.server)
		}
		r := w.request(valuesOf(tc.values)...)
		r.Held = true
		p, err := Make(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		checks, err := Verify(t.Context(), r, p)
		if err != nil {
			t.Fatal(err)
		}
		var bad, words []string
		for _, c := range checks {
			if !c.OK {
				bad = append(bad, c.Key.String())
			}
			words = append(words, c.Have, c.Evidence)
			if c.Want == "" || c.Evidence == "" {
				t.Errorf("%s: %+v", tc.values, c)
			}
		}
		if len(checks) != tc.checks || strings.Join(bad, " ") != tc.bad || !strings.Contains(strings.Join(words, " "), tc.words) {
			t.Errorf("%s: %d checks, not in force: %v, %s", tc.values, len(checks), bad, strings.Join(words, " "))
		}
	}
}

// What cannot be checked is listed with the reason.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = newServer()
	r := w.request(valuesOf("vm.swappiness=60, vm.zone_reclaim_mode=0, bgwriter_delay=200ms, ssl_passphrase_command=cat")...)
	r.Server = nil
	p, err := Make(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	checks, err := Verify(t.Context(), r, p)
	if err != nil || len(checks) != 1 {
		t.Fatalf("%+v, %v", checks, err)
	}
	problems := map[string]string{}
	for _, c := range Unchecked(r, p, checks) {
		problems[c.Key.String()] = c.Problem
	}
	if len(problems) != 2 || problems["bgwriter_delay"] != "no server is given" || !strings.Contains(problems["ssl_passphrase_command"], "secret") {
		t.Errorf("unchecked: %v", problems)
	}
}

func FuzzNodeBytes(f *testing.F) {
	f.Add("00400000 default file=/bin/cat mapped=1 N0=20 N1=3 kernelpagesize_kB=4\n")
	f.Fuzz(func(t *testing.T, text string) {
		for node := range nodeBytes(text) {
			if node < 0 || node > 65535 {
				t.Errorf("node %d of %q", node, text)
			}
		}
	})
}

// Options that are added and undone leave the original ones.
func FuzzMountOptions(f *testing.F) {
	f.Add("rw,relatime,commit=5", "noatime,commit=30")
	f.Add("rw", "commit=5,commit=30,noatime")
	f.Fuzz(func(t *testing.T, has, want string) {
		now, more := splitOptions(has), splitOptions(want)
		all := merged("ext4", now, more)
		if strings.Join(merged("ext4", all, more), ",") != strings.Join(all, ",") {
			t.Errorf("%q and %q twice: %v", has, want, all)
		}
	})
}
