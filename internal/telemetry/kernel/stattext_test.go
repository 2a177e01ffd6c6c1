package kernel

import "testing"

func TestStatOfOldKernels(t *testing.T) {
	var s statText
	// 2.6 has neither steal nor guests; a CPU may be offline.
	if err := s.parse([]byte("cpu  1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7\ncpu2 0 0 0 1 0 0 0\nctxt 9\n")); err != nil {
		t.Fatal(err)
	}
	if s.total != (cpuTicks{modes: [len(modes)]uint64{1, 2, 3, 4, 5, 6, 7}, known: 7}) || s.online() != 2 || len(s.cpus) != 3 || s.cpus[1].known != 0 {
		t.Errorf("it is %+v", s)
	}
	if s.rest[1] != (value{9, true}) || s.rest[0].there {
		t.Errorf("the rest is %v", s.rest)
	}
	if busy := s.total.busy(); busy != 1+2+3+6+7 {
		t.Errorf("busy for %d", busy)
	}
}

func TestSchedstatVersions(t *testing.T) {
	for text, want := range map[string]struct {
		delay uint64
		cpus  int
	}{
		"version 14\ntimestamp 1\ncpu0 0 0 0 0 0 0 1 20 3 \ndomain0 00 1 2\n":                                                            {20, 1},
		"version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 1 20 3\ndomain0 00 1 2\ncpu1 0 0 0 0 0 0 4 5 6\n":                                     {25, 2},
		"version 17\ntimestamp 1\ncpu0 0 0 0 0 0 0 7 8 9\ndomain0 SMT 3 0 1 2 3\ndomain1 MC f 0 1 2\ncpu3 0 0 0 0 0 0 1 18446744073 1\n": {18446744081, 2},
	} {
		delay, cpus, err := parseSchedstat([]byte(text))
		if err != nil || delay != want.delay || cpus != want.cpus {
			t.Errorf("%q is %d ns on %d CPUs: %v", text, delay, cpus, err)
		}
	}
	for _, text := range []string{"", "version 15\n", "cpu0 1 2 3\n", "cpu0 0 0 0 0 0 0 7 -8 9\n"} {
		if delay, cpus, err := parseSchedstat([]byte(text)); err == nil {
			t.Errorf("%q is %d ns on %d CPUs", text, delay, cpus)
		}
	}
}
