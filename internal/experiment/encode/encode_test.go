package encode

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/experimenttest"
)

func TestCanonicalReadsBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := experimenttest.Any().Draw(t, "experiment")
		text := YAML(e)
		back, _, err := decode.Parse("canonical.yaml", text, "", nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(e, back) {
			t.Fatalf("not equal: %v\n%s", Differences(e, back), text)
		}
		if got := Differences(e, back); len(got) > 0 {
			t.Fatalf("differences between equals: %v", got)
		}
		if again := YAML(back); string(again) != string(text) {
			t.Fatalf("written again:\n%s\nwas\n%s", again, text)
		}
	})
}

// The encoded experiment contains the values of the file, its scripts and every default, and nothing
// else.
func TestCanonicalGolden(t *testing.T) {
	for _, name := range []string{"full", "redis", "steps", "ablation", "kubernetes"} {
		data, err := os.ReadFile(filepath.Join("../decode/testdata", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := decode.Parse(name+".yaml", data, "../decode/testdata", nil)
		if err != nil {
			t.Fatal(err)
		}
		text := string(YAML(e))
		experimenttest.CompareGolden(t, filepath.Join("../decode/testdata", name+".canonical.yaml"), text)
		if again, _, err := decode.Parse("again.yaml", []byte(text), "", nil); err != nil || string(YAML(again)) != text {
			t.Errorf("%s: written again it differs: %v", name, err)
		}
	}

	minimal, _, err := decode.Parse("minimal.yaml", []byte("{workloads: [tpcb-like], environments: {here: }}"), "", []string{"seed=7"})
	if err != nil {
		t.Fatal(err)
	}
	experimenttest.CompareGolden(t, filepath.Join("../decode/testdata", "minimal.canonical.yaml"), string(YAML(minimal)))
}

func TestSettingsAreTakenAsWritten(t *testing.T) {
	e, _, err := decode.Parse("lab.yaml", []byte(`
workloads: select-only
settings: {a: on, b: off, c: yes, d: no, e: 1900MB, f: 0.9, g: '2', h: 010, i: 1e3, j: true, k: '', l: 2001-01-01, m: "null"}
environments: {one: {}}
`), "", []string{"settings.n=off", "settings.x.y=1_000"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"a": "on", "b": "off", "c": "yes", "d": "no", "e": "1900MB", "f": "0.9", "g": "2", "h": "010", "i": "1e3",
		"j": "true", "k": "", "l": "2001-01-01", "m": "null", "n": "off", "x.y": "1_000",
	}
	if !reflect.DeepEqual(e.Settings, want) {
		t.Errorf("got %v", e.Settings)
	}
	back, _, err := decode.Parse("lab.yaml", YAML(e), "", nil)
	if err != nil || !reflect.DeepEqual(back.Settings, want) {
		t.Errorf("read back: %v, %v", back.Settings, err)
	}
	if strings.Contains(string(YAML(e)), `"on"`) {
		t.Errorf("words are quoted without need:\n%s", YAML(e))
	}
}
