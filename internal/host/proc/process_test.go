package proc

import (
	"testing"
)

func TestProcess(t *testing.T) {
	text := "4242 (odd ) name) S 1 4243 17 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 9 0 77 0\n"
	p, err := ParseProcess([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if string(p.Name) != "odd ) name" || p.State != 'S' || p.Parent != 1 || p.Group != 4243 || p.Session != 17 ||
		p.Flags != 4194304 || p.Threads != 9 || p.Started != 77 {
		t.Errorf("%+v", p)
	}
	if p.Self != (ProcessUse{1, 3, 5, 6}) || p.Waited != (ProcessUse{2, 4, 7, 8}) {
		t.Errorf("%+v", p)
	}
	// of one that is being removed
	if p, err = ParseProcess([]byte("5 (x) X 0 -1 -1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 0 0 77 0\n")); err != nil || p.Group != -1 || p.Session != -1 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{"", "1 (x", "1 (x)", "1 (x) S 1 1", ") (", "1 (x) S x 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 9 0 77"} {
		if p, err := ParseProcess([]byte(text)); err == nil {
			t.Errorf("%q: %+v without an error", text, p)
		}
	}
}

func TestSchedstatOfThread(t *testing.T) {
	if got, ok := ParseSchedstat([]byte("307262546 46937771 302\n")); !ok || got != (Schedstat{307262546, 46937771, 302}) {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, text := range []string{"", "1 2", "1 2 x", "-1 2 3", "1 99999999999999999999 3"} {
		if got, ok := ParseSchedstat([]byte(text)); ok || got != (Schedstat{}) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestIsVirtual(t *testing.T) {
	for text, want := range map[string]bool{
		"processor\t: 0\nflags\t\t: fpu hypervisor sse\n": true,
		"flags\t\t: fpu sse\nbugs\t: hypervisor\n":        false,
		"Features\t: fp asimd\n":                          false,
		"":                                                false,
	} {
		if got := IsVirtual(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
