package volume

import (
	"strings"
	"testing"
)

func TestParseSignature(t *testing.T) {
	for out, want := range map[string]string{
		"": "",
		"DEVNAME=/dev/loop0\nUUID=3d1f\nVERSION=1.0\nTYPE=ext4\nUSAGE=filesystem\n": "ext4",
		"LABEL=my\\ data\nTYPE=xfs\nUSAGE=filesystem\n":                             "xfs labelled my data",
		"PTUUID=1f2e\nPTTYPE=gpt\n":                                                 "gpt partition table",
		"USAGE=raid\n":                                                              "raid",
		"nonsense\n":                                                                "",
	} {
		if got := parseSignature(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

func FuzzParseSignature(f *testing.F) {
	f.Add("DEVNAME=/dev/loop0\nTYPE=ext4\nLABEL=a\\ b\n")
	f.Add("=\n==\n\\")
	f.Fuzz(func(t *testing.T, out string) {
		if found := parseSignature(out); found != "" && !strings.Contains(out, "=") {
			t.Errorf("%q says %q", out, found)
		}
	})
}

// TestSignatureOf checks that a partition on which there is nothing is empty, and that another program of the
// name of blkid says nothing of a device.
func TestSignatureOf(t *testing.T) {
	const partition = "DEVNAME=/dev/sdb1\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_UUID=1f2e\nPART_ENTRY_NUMBER=1\n"
	for out, want := range map[string]string{
		partition: "", strings.TrimPrefix(partition, "DEVNAME=/dev/sdb1\n"): "",
		partition + "TYPE=ext4\n": "ext4", "TYPE=zfs_member\n": "zfs_member",
	} {
		if got, err := signatureOf(out); err != nil || got != want {
			t.Errorf("%q: %q, %v", out, got, err)
		}
	}
	for _, busybox := range []string{"", "/dev/sdb: LABEL=\"x\" UUID=\"1f2e\" TYPE=\"ext4\"\n"} {
		if got, err := signatureOf(busybox); err == nil {
			t.Errorf("%q: %q", busybox, got)
		}
	}
}
