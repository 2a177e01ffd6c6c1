package probe

import "testing"

const smaps = `7f0000000000-7f0010000000 rw-p 00000000 00:00 0 
Size:             262144 kB
KernelPageSize:        4 kB
AnonHugePages:    196608 kB
VmFlags: rd wr mr mw me ac hg
7f0020000000-7f0030000000 rw-p 00000000 00:00 0 
Size:             262144 kB
AnonHugePages:         0 kB
`

func TestHugeShare(t *testing.T) {
	for address, want := range map[uint64]float64{0x7f0000000000: 0.75, 0x7f000fffffff: 0.75, 0x7f0010000000: 0, 0x7f0020000000: 0, 1: 0} {
		if got := hugeShare(smaps, address); got != want {
			t.Errorf("%x: got %g, want %g", address, got, want)
		}
	}
}

func FuzzHugeShare(f *testing.F) {
	f.Add(smaps, uint64(0x7f0000000000))
	f.Add("0-1\nSize: NaN kB\nAnonHugePages: 5 kB\n", uint64(0))
	f.Fuzz(func(t *testing.T, text string, address uint64) {
		if share := hugeShare(text, address); !(share >= 0 && share <= 1) {
			t.Errorf("%g", share)
		}
	})
}
