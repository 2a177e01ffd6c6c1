package device

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/hint"
)

// TestCatalogIsWhole: the devices that people ask for are there, once, and each
// figure has a source; none has two.
func TestCatalogIsWhole(t *testing.T) {
	names := []string{
		"gp2", "gp3", "gp3-burst", "io1", "io2", "io2-block-express", "st1", "sc1", "local-nvme", "sas-ssd", "sata-ssd",
		"pass-through", "longhorn-1r", "longhorn-2r", "longhorn-3r",
	}
	var got []string
	for _, e := range Catalog() {
		got = append(got, e.Device.Name)
		if e.Title == "" || e.Survives == "" {
			t.Errorf("%s lacks a title, or what it survives", e.Device.Name)
		}
		var sourced []string
		for _, f := range e.Figures {
			sourced = append(sourced, f.Keys...)
			if f.Source.Title == "" || f.Source == assumption && f.Note == "" && f.Keys[0] != "durability" {
				t.Errorf("%s: %v has no source, or is assumed without a reason", e.Device.Name, f.Keys)
			}
		}
		keys := e.Device.Keys()
		slices.Sort(keys)
		slices.Sort(sourced)
		if !slices.Equal(keys, sourced) {
			t.Errorf("%s has the figures\n%v\nand sources of\n%v", e.Device.Name, keys, sourced)
		}
		for _, p := range e.Prices {
			if p.Month <= 0 || p.For == "" || p.Source.Title == "" {
				t.Errorf("%s: a price of %+v", e.Device.Name, p)
			}
		}
		if len(e.Disagreement) > 0 && e.Choice == "" {
			t.Errorf("%s: sources disagree, and nothing is chosen", e.Device.Name)
		}
	}
	if !slices.Equal(got, names) {
		t.Errorf("got %v", got)
	}
}

// TestStepsAddUp to the latency that the model has: within a fifth, as the published
// ones do, and the others to the microsecond.
func TestStepsAddUp(t *testing.T) {
	for _, e := range Catalog() {
		if e.Steps() == nil {
			continue
		}
		var sum, least, most time.Duration
		for _, s := range e.Steps() {
			sum += s.Typical()
			least += s.Least.Std()
			most += s.Most.Std()
		}
		want := (e.Device.Write.Median + e.Device.Flush.Median).Std()
		within := 0.01
		switch {
		case strings.HasPrefix(e.Device.Name, "gp3"):
			within = 0.2
			if least != 951*time.Microsecond || most != 3151*time.Microsecond {
				t.Errorf("%s takes %s to %s; published are 950 to 3120 us", e.Device.Name, least, most)
			}
		case e.Device.Replicas > 1:
			want = time.Duration(e.Device.MeanSeconds(Write) * 1e9)
		case e.Device.Replicas == 1:
			want += e.Device.RoundTrip.Median.Std()
		}
		if !near(float64(sum), float64(want), within) {
			t.Errorf("%s: the steps take %s, the model %s", e.Device.Name, sum, want)
		}
	}
}

// TestReplicasAddWhatWasPublished: by the rows with one client, and by them only.
func TestReplicasAddWhatWasPublished(t *testing.T) {
	local := sasSSD().Device.MeanSeconds(Write)
	for name, want := range map[string]float64{"longhorn-1r": 0.98e-3, "longhorn-2r": 2.26e-3} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if added := e.Device.MeanSeconds(Write) - local; !near(added, want, 0.05) {
			t.Errorf("%s adds %.2f ms, published are %.2f", name, added*1e3, want*1e3)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"gp33":     "did you mean gp3? plinth devices lists them",
		"gp4":      "did you mean gp2 or gp3? plinth devices lists them",
		"nvme":     "did you mean local-nvme? plinth devices lists them",
		"SSD":      "did you mean sas-ssd or sata-ssd? plinth devices lists them",
		"longhorn": "did you mean longhorn-1r, longhorn-2r or longhorn-3r? plinth devices lists them",
		"raid10":   "write an array as emulate: {raid: 10, of: gp3, members: 8}; plinth devices lists the possible members",
		"RAID-1":   "write an array as emulate: {raid: 1, of: gp3, members: 8}; plinth devices lists the possible members",
		"floppy":   "plinth devices lists them; the name of a model file has a slash or ends in .yaml",
	} {
		if _, err := Find(name); err == nil || !strings.Contains(err.Error(), name) || hint.Of(err) != want {
			t.Errorf("%s: %v, hint %q, want %q", name, err, hint.Of(err), want)
		}
	}
}

// TestCatalogIsNotShared: who changes an entry changes a copy.
func TestCatalogIsNotShared(t *testing.T) {
	const changed = "changed"
	for _, of := range []func() Entry{
		func() Entry { e, _ := Find("gp3"); return e },
		func() Entry {
			return Catalog()[slices.IndexFunc(Catalog(), func(e Entry) bool { return e.Device.Name == "gp3" })]
		},
	} {
		e := of()
		if e.Device.Array != nil {
			t.Fatal("a copy of it shares its members")
		}
		e.Device.Name, e.Figures[0].Note, e.Figures[0].Keys[0] = changed, changed, changed
		e.Disagreement[0], e.Prices[0].For = changed, changed
		e.Steps()[0].Name = changed
		if text := fmt.Sprint(of(), of().Steps()); strings.Contains(text, changed) {
			t.Errorf("it is shared: %s", text)
		}
	}
}
