package proc

import (
	"strings"
	"testing"
)

func FuzzStat(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		var s Stat
		if err := s.Parse(text); err == nil && (s.Total.Known <= ModeIdle || s.Online() > mostCPUs) {
			t.Errorf("%d modes of %d CPUs", s.Total.Known, s.Online())
		}
	})
}

func FuzzSchedstat(f *testing.F) {
	fuzzAll(f, func(text []byte) { _, _, _ = RunDelay(text) })
}

func FuzzKeyed(f *testing.F) {
	values := make([]Value, 2)
	fuzzAll(f, func(text []byte) { _ = NewKeyed("MemTotal", "pgfault").Parse(text, values) })
}

func FuzzPressure(f *testing.F) {
	fuzzAll(f, func(text []byte) { _, _ = Pressure(text) })
}

func FuzzDisk(f *testing.F) {
	fuzzAll(f, func(text []byte) {
		_, numbers := CutDisk(text)
		var into Disk
		_ = CutNumbers(numbers, into[:])
	})
}

func FuzzInterface(f *testing.F) {
	fuzzAll(f, func(text []byte) {
		var into NetNumbers
		_, _ = Interface(text, &into)
	})
}

func FuzzProcess(f *testing.F) {
	f.Add([]byte("1 (a) b) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9 0\n"))
	f.Add([]byte("1 (\n) R -1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9 0\n"))
	f.Add([]byte("307262546 46937771 302\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := ParseProcess(text); err == nil && (p.Parent < 0 || p.Threads < 0) {
			t.Errorf("%+v", p)
		}
		_, _, _ = Statm(text)
		if s, ok := ParseSchedstat(text); !ok && s != (Schedstat{}) {
			t.Errorf("%+v", s)
		}
	})
}

func FuzzTables(f *testing.F) {
	for _, text := range []string{
		"MemTotal: 7933456 kB\nHugePages_Free: 3\n", "Node 0 MemFree: 1 kB\n", "MemTotal: 18014398509481984 kB\n",
		"Filename Type Size Used Priority\n/dev/vda2 partition 100 0 -2\n", "2:cpu,cpuacct:/a\n0::/b:c\n",
		`36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/ro\040ot rw,errors=continue` + "\n",
		"Max open files            1024                 524288               files     \n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, n := range Meminfo(text) {
			if n < 0 {
				t.Errorf("%s is %d", name, n)
			}
		}
		for _, s := range Swaps(text) {
			if s.Size < 0 || s.Used < 0 {
				t.Errorf("%+v", s)
			}
		}
		for _, c := range Cgroups(text) {
			if c.Has("") != (c.Controllers == "" || strings.Contains(","+c.Controllers+",", ",,")) {
				t.Errorf("%+v", c)
			}
		}
		for _, m := range Mounts(text) {
			if m.Point == "" || m.Type == "" {
				t.Errorf("%+v", m)
			}
		}
		_ = Limits(text)
		_ = Field(text, "flags")
	})
}

// texts are contents of real files, and some that no kernel writes.
var texts = []string{
	"cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 5 1 2\nctxt 7\nbtime 1\nprocesses 8\nprocs_running 1\nprocs_blocked 0\n",
	"version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 11 12 13\ndomain0 3 1 2 3\n",
	"MemTotal:       100 kB\nHugePages_Total:  3\n",
	"pgfault 5\npgpgin 6\n",
	"some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=4\n",
	" 254 0 vda 1 2 3 4 5 6 7 8 0 10 11 12 13 14 15 16 17\n",
	"Inter-|\n face |\n  eth0:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
	"",
	"\n",
	"\x00\xff\xfe\x01cpu\x00\n\x00",
	"cpu 99999999999999999999 1 1 1 1\ncpu0 99999999999999999999999 1\n8 0 vda 99999999999999999999999 1\n",
	"cpu -1 -2 -3 -4\nMemTotal: -5 kB\npgfault -6\n 8 0 vda -1 -1 -1\n eth0: -1\nsome avg10=0 total=-1\n",
	"::::\n:\ncpu:\nlo:\n",
	"cpu 1 2 3 4 5 6 7 8\ncpu4294967296 1 2 3 4\n",
	"cpu  1 2 3",
}

func addTexts(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
}

func fuzzAll(f *testing.F, parse func(text []byte)) {
	addTexts(f)
	f.Fuzz(func(_ *testing.T, text []byte) { parse(text) })
}
