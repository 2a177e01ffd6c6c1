package proc

import "testing"

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

// texts are those of files as they are, and some that no kernel writes.
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
