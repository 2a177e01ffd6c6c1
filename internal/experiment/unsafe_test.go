package experiment

import (
	"reflect"
	"testing"
)

func TestUnsafeOptions(t *testing.T) {
	for _, test := range []struct {
		volume Volume
		want   []string
	}{
		{Volume{}, nil},
		{Volume{Mount: []string{"noatime", "data=ordered", "barrier=1", "discard"}}, nil},
		{Volume{Mount: []string{"nobarrier"}}, []string{"nobarrier"}},
		{Volume{Mount: []string{"barrier=0", "data=writeback"}}, []string{"barrier=0", "data=writeback"}},
		{Volume{Filesystem: "ext4", Mount: []string{"noload"}}, []string{"noload"}},
		{Volume{Filesystem: "xfs", Mount: []string{"noatime", "allocsize=64m"}, Mkfs: []string{"-O", "^has_journal"}}, nil},
		{Volume{Filesystem: "btrfs", Mount: []string{"nobarrier", "nodatacow"}}, []string{"nobarrier"}},
		{Volume{Filesystem: "zfs", Mkfs: []string{"-O", "sync=disabled"}}, []string{"sync=disabled"}},
		{Volume{Mkfs: []string{"-O", "^has_journal"}}, []string{"^has_journal"}},
		{Volume{Mkfs: []string{"-O^huge_file,^has_journal"}}, []string{"^has_journal"}},
		{Volume{Mkfs: []string{"-q", "-O", "none,extent"}}, []string{"^has_journal"}},
		{Volume{Mkfs: []string{"-O", "has_journal", "-L", "^has_journal"}}, nil},
		{Volume{Mkfs: []string{"-E", "stride=16,stripe_width=64", "-L", "none"}}, nil},
	} {
		var got []string
		for _, risk := range test.volume.UnsafeOptions() {
			if risk.Loses == "" {
				t.Errorf("%s loses nothing", risk.Option)
			}
			got = append(got, risk.Option)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%+v: %q, want %q", test.volume, got, test.want)
		}
	}
}
