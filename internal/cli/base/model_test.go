package base

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/unit"
)

// TestDeviceFileIsNeverReplaced checks that only a file that the user named is overwritten.
func TestDeviceFileIsNeverReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	a := &App{Stderr: &out}
	each := device.Latency{Median: unit.Duration(time.Millisecond)}
	for _, try := range []struct{ name, output, want string }{
		{"disk", "", "disk.device.yaml"},
		{"disk", "", "disk-2.device.yaml"},
		{"disk", "", "disk-3.device.yaml"},
		{"other", "disk.device.yaml", "disk.device.yaml"},
	} {
		out.Reset()
		if err := a.WriteDevice(&device.Device{Name: try.name, Read: each, Write: each}, try.output); err != nil {
			t.Fatal(err)
		}
		if want := "wrote " + try.want + ";"; !strings.HasPrefix(out.String(), want) {
			t.Errorf("said %q, want %q", out.String(), want)
		}
		text, err := os.ReadFile(try.want)
		if err != nil || !strings.HasPrefix(string(text), "name: "+try.name+"\n") {
			t.Errorf("%s holds %q, %v", try.want, text, err)
		}
	}
	if err := a.WriteDevice(nil, "none.yaml"); err != nil {
		t.Error(err)
	}
	if err := a.WriteDevice(&device.Device{Name: "bad", Flush: each}, "bad.yaml"); err == nil {
		t.Error("a device that cannot be was written")
	}
	if err := a.WriteDevice(&device.Device{Name: "x", Read: each, Write: each}, "no/such/x.yaml"); err == nil {
		t.Error("a file was written to where there is no directory")
	}
	if left, _ := os.ReadDir("."); len(left) != 3 {
		t.Errorf("there is %v", left)
	}
}
