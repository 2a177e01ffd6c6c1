package proc

import "testing"

func TestStatOfOldKernels(t *testing.T) {
	var s Stat
	// 2.6 has neither steal nor guests; a CPU may be offline.
	if err := s.Parse([]byte("cpu  1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7\ncpu2 0 0 0 1 0 0 0\nctxt 9\n")); err != nil {
		t.Fatal(err)
	}
	if s.Total != (CPUTicks{Modes: [len(ModeNames)]uint64{1, 2, 3, 4, 5, 6, 7}, Known: 7}) || s.Online() != 2 || len(s.CPUs) != 3 || s.CPUs[1].Known != 0 {
		t.Errorf("it is %+v", s)
	}
	if s.Counts[1] != (Value{9, true}) || s.Counts[0].There {
		t.Errorf("the rest is %v", s.Counts)
	}
	if busy := s.Total.Busy(); busy != 1+2+3+6+7 {
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
		delay, cpus, err := RunDelay([]byte(text))
		if err != nil || delay != want.delay || cpus != want.cpus {
			t.Errorf("%q is %d ns on %d CPUs: %v", text, delay, cpus, err)
		}
	}
	for _, text := range []string{"", "version 15\n", "cpu0 1 2 3\n", "cpu0 0 0 0 0 0 0 7 -8 9\n"} {
		if delay, cpus, err := RunDelay([]byte(text)); err == nil {
			t.Errorf("%q is %d ns on %d CPUs", text, delay, cpus)
		}
	}
}
