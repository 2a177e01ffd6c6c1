package preview

import (
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
)

func parsed(t *testing.T, environments string) *experiment.Experiment {
	t.Helper()
	e, _, err := decode.Parse("test.yaml", []byte("name: test\nworkloads: [select-only]\nduration: 60s\nwarmup: 10s\nrepeats: 6\nenvironments:\n"+environments), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestBurstLines(t *testing.T) {
	for name, tc := range map[string]struct {
		environments string
		lines        []string // parts
	}{
		"credits":   {"  a: {limits: {cpu_credits: {instance: t3.large, balance: 0.5}}}\n", []string{"a: at full load of 2 vCPUs, the 0.5 CPU credits of t3.large cover only the first 21 s of each run of 70 s; once they are used up, the server has 0.6 CPUs"}},
		"unlimited": {"  a: {limits: {cpu_credits: {instance: t3.large, mode: unlimited}}}\n", []string{"the 864 CPU credits of t3.large last 10.3 h, longer than a whole run of 70 s; further ones are counted"}},
		"volume": {"  a: {storage: {data: {emulate: {model: {name: m, read: {median: 1ms}, write: {median: 1ms}, iops: {rate: 300, burst_rate: 3000, burst: 10000}}}}}}\n",
			[]string{"a: at the full burst rate, the IOPS burst of the data volume covers only the first 4 s of each run of 70 s"}},
		"none": {"  a: {storage: {data: {emulate: gp3}}}\n", nil},
	} {
		var p Preview
		p.addBursts(parsed(t, tc.environments))
		if len(p.Bursts) != len(tc.lines) || len(p.Warnings) != 0 {
			t.Errorf("%s: %q, warnings %v", name, p.Bursts, p.Warnings)
			continue
		}
		for i, part := range tc.lines {
			if !strings.Contains(p.Bursts[i], part) {
				t.Errorf("%s: %q, want %q", name, p.Bursts[i], part)
			}
		}
	}
}

// A load of a number of transactions has no known length.
func TestBurstInALoadOfUnknownLength(t *testing.T) {
	if got, want := covered("covers", "lasts", 4*time.Second, 0), "covers the first 4 s of each run"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInstanceWarnings(t *testing.T) {
	for name, tc := range map[string]struct {
		environments, rule, text string
	}{
		"less than the volume": {"  a: {instance: db.m6i.large, connect: 'host=db', disposable: true, storage: {data: {is: gp3, iops: 12000}}}\n",
			"instance-limits", "a: db.m6i.large sustains 3600 IOPS and 81.25 MB/s across all of its EBS volumes together, and data has 12000 IOPS"},
		"enough": {"  a: {instance: m6i.32xlarge, storage: {data: {directory: /mnt, is: gp3}}}\n", "", ""},
		"no EBS": {"  a: {instance: m6i.large, storage: {data: {directory: /mnt, is: local-nvme}}}\n", "", ""},
		"burstable": {"  a: {instance: t2.medium, storage: {data: {directory: /mnt}}}\n", "burstable",
			"a: at full load the CPU credits of a t2.medium last at most 6.0 h; this experiment takes 2.5 h; then it slows down"},
		"managed": {"  a: {instance: db.t3.large, connect: 'host=db', disposable: true}\n", "burstable", "in unlimited mode it costs more then, and does not slow down"},
	} {
		p := Preview{Total: 150 * time.Minute}
		p.addBursts(parsed(t, tc.environments))
		switch {
		case tc.rule == "" && len(p.Warnings) == 0:
		case len(p.Warnings) != 1 || p.Warnings[0].Rule != tc.rule || !strings.Contains(p.Warnings[0].Text, tc.text):
			t.Errorf("%s: %+v", name, p.Warnings)
		}
	}
}
