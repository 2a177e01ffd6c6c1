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
