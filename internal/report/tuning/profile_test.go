package tuning

import (
	"strings"
	"testing"

	"plinth/internal/knob"
)

// TestProfilesHaveTheirLayers checks that layers are listed from the bottom up, independent of
// the order of values.
func TestProfilesHaveTheirLayers(t *testing.T) {
	p := ProfileFacts{Name: "mine", About: "for tests", Settings: []ProfileSettingFacts{
		{Knob: "work_mem", Layer: knob.Server, Value: "16MB"},
		{Knob: "vm.swappiness", Layer: knob.Kernel, Value: "1", Reason: "a cache of its own"},
		{Knob: "vm.dirty_ratio", Layer: knob.Kernel, Value: "5"},
	}}
	var all, one strings.Builder
	if err := WriteProfiles(&all, []ProfileFacts{p}, Options{Format: "markdown"}); err != nil {
		t.Fatal(err)
	}
	if want := "| mine | 3 | kernel, server | for tests |"; !strings.Contains(all.String(), want) {
		t.Errorf("no %q in\n%s", want, all.String())
	}
	if err := WriteProfile(&one, p, Options{}); err != nil {
		t.Fatal(err)
	}
	if text := one.String(); strings.Index(text, "vm.swappiness") > strings.Index(text, "work_mem") || !strings.Contains(text, "a cache of its own") {
		t.Error(text)
	}
}
