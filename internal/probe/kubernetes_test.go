package probe

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/device/meaning"
	"plinth/internal/driver/fio"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// TestAModelNamesItsStorageClass checks what a model says of where it was measured, and that it can be
// read back.
func TestAModelNamesItsStorageClass(t *testing.T) {
	r := sliced(local)
	r.Taken, r.Program, r.Machine = time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC), "fio 3.33", host.Facts{Kernel: "6.1.0"}
	r.Target = Target{Direct: true, Filesystem: "ext4", Device: "sdb"}
	r.Device = r.model("longhorn")
	r.Place(Kubernetes{
		Cluster: "lab", Version: "v1.33.13", Node: "node1", Class: "longhorn", Provisioner: "driver.longhorn.io",
		Parameters: map[string]string{"numberOfReplicas": "2", "fsType": "ext4"}, Options: []string{"noatime"}, Claim: 3 * unit.GiB,
	})
	d, err := device.ReadFile(r.Device.YAML())
	if err != nil {
		t.Fatal(err)
	}
	const source = "measured by plinth probe on a volume of 3GiB of the storage class longhorn (driver.longhorn.io, fsType=ext4, numberOfReplicas=2, mounted noatime), sdb through ext4: "
	if !strings.HasPrefix(d.Source, source) || d.Measured != "2026-11-26, Linux 6.1.0, fio 3.33, node node1 of Kubernetes v1.33.13" {
		t.Errorf("%s\n%s", d.Source, d.Measured)
	}
	r.Device = nil
	if r.Place(Kubernetes{Class: "x"}); r.Kubernetes.ClassWords() != "x" {
		t.Errorf("a class that cannot be read: %s", r.Kubernetes.ClassWords())
	}
}

// TestAResultComesBack checks that a result that was sent as JSON is the same.
func TestAResultComesBack(t *testing.T) {
	r := sliced(local)
	r.Beside = compareSteps(r, Target{Direct: true, Size: unit.GiB + 1}, r.Steps)
	r.Device, r.Notes, r.Meaning = r.model("x"), []Note{}, meaning.Of(r.figures())
	r.Sustained = []Sustained{{Step: steps[0], Seconds: []float64{1, 2}}}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*r, back) {
		t.Errorf("got  %+v\nwant %+v", back, *r)
	}
}

func TestRatios(t *testing.T) {
	measured := func(operations ...int64) map[string][]fio.Result {
		var all []fio.Result
		for _, n := range operations {
			all = append(all, fio.Result{Read: fio.Direction{Operations: n, Time: time.Second}})
		}
		return map[string][]fio.Result{Read1: all}
	}
	got := ratios(steps, measured(10, 20, 40, 80, 160, 320), measured(20, 40, 80, 160, 320, 640), 1)
	if len(got) != 1 || got[0].Step != Read1 || got[0].Level != 0.95 || got[0].Low > 0.5001 || got[0].High < 0.4999 || got[0].High-got[0].Low > 1e-6 {
		t.Errorf("slice by slice, the ratio is always 0.5: %+v", got)
	}
	if got := ratios(steps, measured(10, 20), measured(0, 10), 1); len(got) != 1 || got[0].Value != 2 || got[0].Level != 0 {
		t.Errorf("a slice without operations: %+v", got)
	}
}

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	p := &probe{Options: Options{Path: dir, Beside: dir}, target: Target{Path: dir}, other: &probe{target: Target{Path: dir}}}
	if got := rules(p.besideNotes()); len(got) != 1 || got[0] != "same-disk" {
		t.Errorf("%v", got)
	}
	p.other.target.Path = "/proc"
	if got := p.besideNotes(); got != nil {
		t.Errorf("%v", got)
	}
	// No conclusion is drawn from a disk that is not under the volume.
	r := sliced(with(Read1, 60, 58, 63, 60, 61, 62))
	r.Beside = compareSteps(r, Target{Direct: true}, sliced(local).Steps)
	if notes := r.Local.notes(r); notes != nil {
		t.Errorf("%v", notes)
	}
}
