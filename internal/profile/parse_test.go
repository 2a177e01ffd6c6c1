package profile

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/strictyaml"
)

// mistakes holds files with one mistake each, its message, and a part of its hint.
var mistakes = []struct{ file, want, hint string }{
	{"", "mine.yaml: contains no profile", "plinth tune profiles"},
	{"- a", `mine.yaml:1:1: expected keys and values in the profile, found a list`, ""},
	{"name: x", "mine.yaml: the profile sets nothing", "give it settings"},
	{"name: x\nsetings: {vm.swappiness: 1}", `mine.yaml:2:1: unknown key "setings" in the profile`, "did you mean settings?"},
	{"settings: {vm.swapiness: 1}", `mine.yaml:1:12: `, "vm.swappiness"},
	{"settings: {vm.swappiness: 900}", `mine.yaml:1:27: cannot set vm.swappiness to "900"`, ""},
	{"settings: {read_ahead_kb@data: 5 apples}", `mine.yaml:1:32: cannot set read_ahead_kb to "5 apples"`, ""},
	{"settings: {vm.swappiness: }", "mine.yaml:1:27: settings: expected a value, found nothing", "give it a value"},
	{"settings: {vm.swappiness: [1]}", "mine.yaml:1:27: settings: expected one word or number, found a list", ""},
	{"settings: {vm.swappiness: 1, vm.swappiness: 2}", "mine.yaml:1:30: vm.swappiness is given twice in settings (first on line 1)", ""},
	{"settings:\n  - {knob: vm.swappiness, value: 1}\n  - {knob: vm.swappiness, value: 2}", "mine.yaml:3:12: vm.swappiness is set twice: 2, and 1 on line 2", "remove one"},
	{"settings:\n  - {knob: vm.dirty_ratio, value: 4}\n  - {knob: vm.dirty_bytes, value: 4096000}", "mine.yaml:3:12: vm.dirty_bytes and vm.dirty_ratio (line 2): setting one makes the kernel zero the other", "remove one"},
	{"settings: [{value: 1}]", "mine.yaml:1:12: a setting without a knob", ""},
	{"settings: [{knob: vm.swappiness}]", "mine.yaml:1:12: vm.swappiness has no value", ""},
	{"settings: [{knob: vm.swappiness, value: 1, unless: x}]", "mine.yaml:1:52: vm.swappiness: unless: requires when:", "add when:"},
	{"settings: {fsync: off}", "mine.yaml:1:19: fsync = off weakens durability", "unsafe: true"},
	{"settings: &a {vm.swappiness: 1}", "mine.yaml:1:11: anchors, aliases and merge keys are not allowed in a profile", "write the value out"},
	{"about: &a x\nsettings: {<<: *a}", "mine.yaml:1:8: anchors, aliases and merge keys are not allowed in a profile\nmine.yaml:2:12: anchors, aliases and merge keys are not allowed in a profile", "write the value out"},
	{"name: x\n---\nname: y", "mine.yaml:2:1: a second document begins here", "its own file"},
	{"name: [", "mine.yaml:1:1: not YAML: ", "indent"},
	{"a: b: c", "mine.yaml:1:1: not YAML: ", "colon"},
	{"\xff", "mine.yaml: not UTF-8 text", ""},
	{"unsafe: maybe\nsettings: {vm.swappiness: 1}", `mine.yaml:1:9: expected true or false, found "maybe"`, ""},
	{"includes: [ebs-kernal]", `mine.yaml:1:12: unknown profile "ebs-kernal"`, "did you mean ebs-kernel?"},
	{"name: mine\nincludes: [ebs-kernel, mine]", `mine.yaml:2:24: the profile mine includes itself: mine > mine`, "remove"},
	{"name: oltp\nincludes: [oltp]", `mine.yaml:2:12: the profile oltp includes itself: oltp > oltp`, "remove"},
	{"includes: [./other.yaml]", `mine.yaml:1:12: unknown profile "./other.yaml"`, ""},
	{"requires: [{layer: kernal, holds: cpus > 1, text: x}]\nsettings: {vm.swappiness: 1}", `mine.yaml:1:20: unknown layer "kernal"`, "did you mean kernel?"},
	{"requires: [{layer: kernel}]\nsettings: {vm.swappiness: 1}", "mine.yaml:1:12: a requirement needs holds: and text:", ""},

	{"settings: {shared_buffers: = memry / 4}", `mine.yaml:1:30: the expression "= memry / 4": unknown name "memry"`, "did you mean memory?"},
	{"settings: {commit_delay: = 1 + disk.synk}", `mine.yaml:1:37: the expression "= 1 + disk.synk": unknown name "synk"`, "did you mean sync?"},
	{`settings: {shared_buffers: "= memory *"}`, `mine.yaml:1:38: the expression "= memory *": unexpected token EOF`, ""},
	{"settings: {shared_buffers: = memory * governor}", `the expression "= memory * governor": invalid operation: *`, ""},
	{"settings: {shared_buffers: = memory > 1}", `the expression "= memory > 1": the result is true or false, not a number or a word`, ""},
	{"settings: {shared_buffers: = disk}", `the expression "= disk": the result is neither a number nor a word`, ""},
	{"settings: {shared_buffers: = fromJSON('1')}", `unknown name "fromJSON"`, ""},
	{"settings: {shared_buffers: \"= known__('x', 1)\"}", `names that end in __ are reserved`, ""},
	{"settings: [{knob: vm.swappiness, value: 1, when: cpus}]", `mine.yaml:1:50: the expression "cpus": expected bool, but got int`, ""},
	{"settings: {shared_buffers: = " + strings.Repeat("1+", 300) + "1}", "it is longer than 500 bytes", ""},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		p, err := Parse("mine.yaml", []byte(m.file))
		var wrong *strictyaml.Error
		if !errors.As(err, &wrong) {
			t.Errorf("%q: got %+v, %v", m.file, p, err)
			continue
		}
		if !strings.Contains(err.Error(), m.want) || !strings.Contains(hint.Of(err), m.hint) {
			t.Errorf("%q: got %v (hint %s), want %s (%s)", m.file, err, hint.Of(err), m.want, m.hint)
		}
	}
}

func TestParse(t *testing.T) {
	p, err := Parse("mine.yaml", []byte(`
name: mine
about: an example
source: {author: me, title: notes}
includes: [ebs-baseline]
requires: [{layer: kernel, holds: cpus > 1, text: more CPUs, hint: buy some}]
settings:
  - {knob: vm.swappiness, value: 10, group: swap, when: cpus > 1, unless: one CPU, reason: because}
`))
	want := &Profile{
		Name: "mine", About: "an example", Source: knob.Source{Author: "me", Title: "notes"}, Includes: []string{"ebs-baseline"},
		Requires: []Requirement{{"kernel", "cpus > 1", "more CPUs", "buy some"}},
		Settings: []Setting{{knob.Key{Knob: "vm.swappiness"}, "10", "swap", "cpus > 1", "one CPU", "because"}},
	}
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v, %v", p, err)
	}
	p, err = Parse("mine.yaml", []byte("name: mine\nsettings:\n  vm.swappiness: 10\n  SHARED_BUFFERS: = memory / 4\n  read_ahead_kb@data: 64KiB\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Settings[1]; s.Key.Knob != "shared_buffers" || s.Value != "= memory / 4" || s.Layer("") != "server" {
		t.Errorf("%+v", s)
	}
	w, err := Work("postgres", []*Profile{p}, nil, machine())
	if err != nil || w.Values[2].Value != "64" || w.Values[2].Group != "other block" {
		t.Errorf("%+v, %v", w, err)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadFollowsFiles checks that included files become part of the profile, in order.
func TestReadFollowsFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "base.yaml", "includes: [ebs-baseline]\nsettings: {vm.swappiness: 5, commit_delay: 7}")
	p, err := Read(write(t, dir, "mine.yaml", "includes: [./base.yaml, ebs-kernel]\nsettings: {vm.dirty_bytes: 64MiB, bgwriter_delay: 20ms}"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "mine" || len(p.Includes) != 0 {
		t.Errorf("%s includes %v", p.Name, p.Includes)
	}
	got := map[string]string{}
	for _, s := range p.Settings {
		got[s.Key.String()] = s.Value
	}
	for key, want := range map[string]string{
		"vm.swappiness": "1", "commit_delay": "7", "vm.dirty_bytes": "64MiB", "vm.dirty_ratio": "", "vm.dirty_background_ratio": "1", "bgwriter_delay": "20ms",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	data, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse("record.yaml", data); err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("not the same from a record: %v\n%s", err, data)
	}
}

// TestReadSameName checks that a file may include a profile with the name of the file: a built-in one, or one in another
// directory.
func TestReadSameName(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "common"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "common/tuning.yaml", "settings: {vm.swappiness: 5}")
	for name, text := range map[string]string{
		"oltp.yaml": "includes: [oltp]\nsettings: {work_mem: 8MB}", "tuning.yaml": "includes: [./common/tuning.yaml]\nsettings: {work_mem: 8MB}",
	} {
		p, err := Read(write(t, dir, name, text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		settings, err := p.Flat()
		if err != nil || len(settings) < 2 {
			t.Errorf("%s: %d settings, %v", name, len(settings), err)
		}
		if want := map[string]string{"oltp.yaml": "oltp.yaml", "tuning.yaml": "tuning"}[name]; p.Name != want {
			t.Errorf("%s has the name %s, want %s", name, p.Name, want)
		}
	}
}

// TestReadCircles checks that the error for a file that includes itself shows the cycle.
func TestReadCircles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "includes: [b.yaml]")
	write(t, dir, "b.yaml", "includes: [./c.yaml]")
	write(t, dir, "c.yaml", "includes: [a.yaml]")
	write(t, dir, "self.yaml", "settings: {vm.swappiness: 1}\nincludes: [ebs-kernel, self.yaml]")
	for name, want := range map[string]string{
		"a.yaml": "includes itself: a.yaml > b.yaml > c.yaml > a.yaml", "self.yaml": "self.yaml:2:24: the profile self.yaml includes itself: self.yaml > self.yaml",
	} {
		if _, err := Read(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	// The cycle need not contain the first profile.
	looped := map[string]*Profile{"x": {Name: "x", Includes: []string{"y"}}, "y": {Name: "y", Includes: []string{"z"}}, "z": {Name: "z", Includes: []string{"y"}}}
	_, err := flatten(looped["x"], func(name string) (*Profile, error) { return looped[name], nil }, nil)
	if err == nil || err.Error() != "the profile y includes itself: y > z > y" {
		t.Error(err)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "large.yaml", strings.Repeat("#", MostFile+1))
	for name, want := range map[string]string{
		"missing.yaml": "no such file or directory", "large.yaml": "it is larger than 64 KiB", ".": "it is not a regular file",
	} {
		if _, err := Read(filepath.Join(dir, name)); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if _, err := Read("/dev/zero"); err == nil {
		t.Error("/dev/zero is read")
	}
}

// TestBuiltinsAsFiles checks that each built-in profile is printed as a file that reads back the same.
func TestBuiltinsAsFiles(t *testing.T) {
	for _, p := range All() {
		data, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(p.Name+".yaml", data); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%s: %v\n%s", p.Name, err, data)
		}
	}
}

// FuzzParse checks that nothing panics, and that a profile is written so that it reads back the same.
func FuzzParse(f *testing.F) {
	for _, m := range mistakes {
		f.Add([]byte(m.file))
	}
	for _, p := range All() {
		if data, err := p.YAML(); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("f.yaml", data)
		if err != nil {
			var wrong *strictyaml.Error
			if !errors.As(err, &wrong) || len(wrong.Mistakes) == 0 {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse("f.yaml", text); err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%q is written as\n%s, which reads otherwise: %v", data, text, err)
		}
		_, _ = Work("", []*Profile{p}, nil, machine())
		_, _ = Work("postgres", []*Profile{p}, nil, Facts{})
	})
}
