package libvirt

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/hint"
)

// fixture returns one of the definitions in testdata.
func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".xml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// published holds the values of the domain in "Bare Metal vs. AWS RDS: CPU/NUMA Pinning and
// HugePages" (Iwan Setiawan).
var published = map[string]string{
	"vcpupin":  "0=8,1=9,2=10,3=11,4=12,5=13,6=28,7=29",
	"numatune": "strict 1", "hugepages": "on", "locked": "on", "cpu_mode": "host-passthrough", "memballoon": "none",
	"emulatorpin": "", "iothreads": "0", "iothreadpin": "",
}

func TestRead(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"published": published,
		"plain": {"vcpupin": "", "numatune": "none", "hugepages": "off", "locked": "off", "cpu_mode": "", "memballoon": "virtio",
			"emulatorpin": "", "iothreads": "0", "iothreadpin": ""},
		"rich": {"vcpupin": "0=0-1,3", "numatune": "preferred 0", "hugepages": "on", "locked": "off", "cpu_mode": "custom", "memballoon": "virtio",
			"emulatorpin": "0-1", "iothreads": "2", "iothreadpin": "1=2,4=3"},
	} {
		got, err := Read(fixture(t, name))
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
}

// TestEditKeepsTheRest checks that only the changed lines differ.
func TestEditKeepsTheRest(t *testing.T) {
	for _, tc := range []struct {
		name       string
		values     map[string]string
		gone, made string // lines, without surrounding white space
	}{
		{"published", published, "", ""},
		{"published", map[string]string{"numatune": "strict 0-1", "emulatorpin": "6,7"},
			"<memory mode='strict' nodeset='1'/>", "<emulatorpin cpuset='6-7'/> <memory mode='strict' nodeset='0-1'/>"},
		{"published", map[string]string{"memballoon": "virtio"}, "<memballoon model='none'/>", "<memballoon model='virtio'/>"},
		{"published", map[string]string{"hugepages": "off", "locked": "off"}, "<memoryBacking> <hugepages/> <locked/> </memoryBacking>", ""},
		{"published", map[string]string{"numatune": "none"}, "<numatune> <memory mode='strict' nodeset='1'/> </numatune>", ""},
		{"plain", map[string]string{"vcpupin": "1=3,0=2", "locked": "on"}, "",
			"<memoryBacking> <locked/> </memoryBacking> <cputune> <vcpupin vcpu='0' cpuset='2'/> <vcpupin vcpu='1' cpuset='3'/> </cputune>"},
		{"plain", map[string]string{"cpu_mode": "host-passthrough", "iothreads": "2", "iothreadpin": "1=4"}, "",
			"<iothreads>2</iothreads> <cputune> <iothreadpin iothread='1' cpuset='4'/> </cputune> <cpu mode='host-passthrough' check='none'/>"},
		{"plain", map[string]string{"memballoon": "none"},
			"<memballoon model='virtio'> <stats period='10'/> </memballoon>", "<memballoon model='none'/>"},
		{"rich", map[string]string{"cpu_mode": "host-passthrough"},
			"<cpu mode='custom' match='exact' check='none'> <model fallback='forbid'>qemu64</model> <feature policy='require' name='pcid'/>",
			"<cpu mode='host-passthrough' check='none'>"},
		{"rich", map[string]string{"iothreads": "1", "iothreadpin": ""},
			"<iothreads>2</iothreads> <iothread id='4'/> <iothreadpin iothread='1' cpuset='2'/> <iothreadpin iothread='4' cpuset='3'/>",
			"<iothreads>1</iothreads>"},
	} {
		before := fixture(t, tc.name)
		after, err := Edit(before, tc.values)
		if err != nil {
			t.Errorf("%s, %v: %v", tc.name, tc.values, err)
			continue
		}
		gone, made := differ(before, after)
		if gone != tc.gone || made != tc.made {
			t.Errorf("%s, %v:\ngone %s\nwant %s\nmade %s\nwant %s", tc.name, tc.values, gone, tc.gone, made, tc.made)
		}
	}
}

// TestEditWithoutDevices checks that a missing parent element is added.
func TestEditWithoutDevices(t *testing.T) {
	const before = "<domain>\n  <name>x</name>\n</domain>\n"
	after, err := Edit(before, map[string]string{"memballoon": "none"})
	if want := "<domain>\n  <name>x</name>\n  <devices>\n    <memballoon model='none'/>\n  </devices>\n</domain>\n"; err != nil || after != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, after, want)
	}
	if back, err := Edit(before, map[string]string{"memballoon": ""}); err != nil || back != before {
		t.Errorf("%v:\n%s", err, back)
	}
}

// differ returns the lines that only one of two texts has.
func differ(before, after string) (gone, made string) {
	only := func(in, other string) string {
		left := strings.Split(other, "\n")
		var all []string
		for line := range strings.Lines(in) {
			line = strings.TrimSuffix(line, "\n")
			if at := slices.Index(left, line); at >= 0 {
				left = slices.Delete(left, at, at+1)
				continue
			}
			all = append(all, strings.TrimSpace(line))
		}
		return strings.Join(all, " ")
	}
	return only(before, after), only(after, before)
}

func TestEditRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, knob, value, text, hint string
	}{
		{"plain", "vcpupin", "0=2,2=3", "there is no vCPU 2: the domain has 2, numbered from 0", ""},
		{"plain", "vcpupin", "8,9", `"8,9" is not a list of pins`, "0=8,1=9"},
		{"plain", "vcpupin", "0=8,0=9", "contains 0 twice", ""},
		{"plain", "vcpupin", "0=9-8", `"9-8" is not a list of CPUs`, "8-13,28"},
		{"plain", "vcpupin", "0=^8", "contains no CPU", ""},
		{"plain", "emulatorpin", "all", `"all" is not a list of CPUs`, "8-13,28"},
		{"plain", "numatune", "strikt 1", `"strikt" is not a mode`, "strict"},
		{"plain", "numatune", "strict", `"strict" has no nodes`, "strict 1"},
		{"plain", "numatune", "strict x", `"x" is not a list of NUMA nodes`, "strict 1"},
		{"plain", "hugepages", "2MiB", `"2MiB" is neither on nor off`, ""},
		{"plain", "locked", "yes", `"yes" is neither on nor off`, ""},
		{"plain", "cpu_mode", "host-passtrough", "not a mode of <cpu>", "host-passthrough"},
		{"plain", "memballoon", "off", "not a model of <memballoon>", ""},
		{"plain", "iothreads", "-1", "not a number of I/O threads", ""},
		{"plain", "iothreadpin", "x=1", "is not a list of pins", ""},
		{"plain", "vcpu_pin", "0=1", `no knob "vcpu_pin"`, "vcpupin"},
		{"cells", "numatune", "none", "their own nodes (memnode)", "virsh edit"},
		{"newer", "locked", "on", "<memoryBacking> of the domain has elements or attributes that plinth does not know and would lose: /memoryBacking/entangled, /memoryBacking/entangled@with=all", "virsh edit"},
	} {
		_, err := Edit(fixture(t, tc.name), map[string]string{tc.knob: tc.value})
		if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(hint.Of(err), tc.hint) {
			t.Errorf("%s: %s=%s: %v (hint %q), want %q (hint %q)", tc.name, tc.knob, tc.value, err, hint.Of(err), tc.text, tc.hint)
		}
	}
	for _, text := range []string{"", "no XML", "<network/>", "<domain>", "<domain/>"} {
		if _, err := Edit(text, map[string]string{"locked": "on"}); err == nil {
			t.Errorf("%q was taken for a domain", text)
		}
	}
}

// TestEditAndRestore changes a definition at random and restores it exactly; changes made
// elsewhere meanwhile stay.
func TestEditAndRestore(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom([]string{"published", "plain", "rich", "cells"}).Draw(r, "name")
		before := fixture(t, name)
		values := map[string]string{}
		for knob, some := range someValues {
			if rapid.Bool().Draw(r, knob) && (name != "cells" || knob != "numatune") {
				values[knob] = rapid.SampledFrom(some).Draw(r, knob+" value")
			}
		}
		after, err := Edit(before, values)
		if err != nil {
			r.Fatal(err)
		}
		got, err := Read(after)
		if err != nil {
			r.Fatal(err)
		}
		for knob, value := range values {
			if got[knob] != value {
				r.Fatalf("%s is %q after it was set to %q", knob, got[knob], value)
			}
		}
		const theirs, now = "<on_crash>destroy</on_crash>", "<on_crash>preserve</on_crash>"
		back, err := restore(strings.Replace(after, theirs, now, 1), before)
		if err != nil {
			r.Fatal(err)
		}
		if want := strings.Replace(before, theirs, now, 1); pieced(r, back) != pieced(r, want) {
			r.Fatalf("it was:\n%s\nand is:\n%s", want, back)
		}
	})
}

// pieced returns the content of an XML text in sorted order: a section that did not exist is
// restored to the place where it would be added.
func pieced(r *rapid.T, text string) string {
	all, err := pieces(text)
	if err != nil {
		r.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

var someValues = map[string][]string{
	"vcpupin":     {"", "0=1", "0=0-3,7,1=2"},
	"emulatorpin": {"", "0", "2-3,9"},
	"numatune":    {"none", "strict 1", "interleave 0-1", "preferred 0", "strict auto"},
	"hugepages":   {"on", "off"},
	"locked":      {"on", "off"},
	"cpu_mode":    {"host-passthrough", "host-model", "maximum", ""},
	"memballoon":  {"none", "virtio", ""},
	"iothreads":   {"0", "1", "4"},
	"iothreadpin": {"", "1=3", "1=0-1,2=5"},
}

// FuzzPins checks that parsed pins parse to the same again after formatting.
func FuzzPins(f *testing.F) {
	for _, text := range []string{"0=8,1=9", "0=8-13,^9,28,1=2", "7", "0=", "=1", "0=1,1", "4294967296=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parsePins(text)
		if err != nil {
			return
		}
		again, err := parsePins(all.String())
		if err != nil || again.String() != all.String() {
			t.Errorf("%q is %q, and that is %q: %v", text, all, again, err)
		}
	})
}

// FuzzEdit checks that a definition is either refused, or changed as requested without losing
// anything else.
func FuzzEdit(f *testing.F) {
	for _, name := range []string{"published", "plain", "rich", "cells", "newer"} {
		f.Add(fixture(f, name))
	}
	f.Add("<domain><devices/></domain>")
	f.Add("<domain><devices><memballoon/></devices><x><memoryBacking/></x></domain>")
	f.Fuzz(func(t *testing.T, text string) {
		after, err := Edit(text, map[string]string{"locked": "on"})
		if _, bad := pieces(text); err != nil || bad != nil { // anything may follow the domain
			return
		}
		if values, err := Read(after); err != nil || values["locked"] != "on" {
			t.Fatalf("%q: %v, %v", after, values, err)
		}
		if gone, err := lost(text, after); err != nil || len(gone) > 0 {
			t.Errorf("%q lost %q: %v", after, gone, err)
		}
	})
}
