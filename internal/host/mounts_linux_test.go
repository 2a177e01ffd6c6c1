package host

import (
	"slices"
	"testing"
)

func TestMounts(t *testing.T) {
	mounts, err := Mounts()
	if err != nil {
		t.Fatal(err)
	}
	want, err := FilesystemOf("/proc")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(mounts, want) {
		t.Errorf("%+v is not among %+v", want, mounts)
	}
}
