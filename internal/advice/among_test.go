package advice

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/instance"
	"plinth/internal/metric"
	"plinth/internal/record"
)

// on puts an environment on a model of the catalog.
func on(t *testing.T, in Input, environment, model string, options device.Options) {
	t.Helper()
	d, err := device.Configure(model, options)
	if err != nil {
		t.Fatal(err)
	}
	e := in.Record.Environments[environment]
	e.Volumes = append(e.Volumes, record.Volume{Role: "data", Emulation: &record.Emulation{Model: d, RateScale: 1}})
	in.Record.Environments[environment] = e
}

// TestDurable: local disks do not outlive their host, unless there is a replica; no volume outlives its zone.
func TestDurable(t *testing.T) {
	in := input(t, "tpcb-like", "  ebs: {storage: {data: {emulate: gp3}}}\n  local: {storage: {data: {emulate: local-nvme}}}\n", values{"ebs": around(1000), "local": around(3000)})
	on(t, in, "ebs", "gp3", device.Options{})
	on(t, in, "local", "local-nvme", device.Options{})
	a := advise(t, in)
	c := only(t, a, "host")
	if c.Environment != "ebs" || c.Sure != Alone || !strings.Contains(c.Out[0].Why, "local-nvme, which is not known to outlive its host") {
		t.Errorf("%+v", c)
	}
	if got := why(a, "zone"); got != "no environment: ebs: its data is on gp3, in one zone ("+guideEBS+"); local: its data is on local-nvme, a disk of one host (plinth's catalog of devices)" {
		t.Error(got)
	}
	e := in.Record.Environments["ebs"]
	e.Volumes = append(e.Volumes, record.Volume{Role: "temp"}, record.Volume{Role: "wal"})
	in.Record.Environments["ebs"] = e
	if got := why(advise(t, in), "host"); !strings.HasPrefix(got, "no environment: ebs: the storage of its wal is not known (is:, or facts: {survives: host}); local: ") {
		t.Error(got)
	}
	e.Volumes = e.Volumes[:1]
	in.Record.Environments["ebs"] = e
	e = in.Record.Environments["local"]
	e.Replica = &record.Replica{}
	in.Record.Environments["local"] = e
	in.Record.Summary.Durability = map[string]record.Durability{"local": {Fault: "power-cut", Recover: "promote", Injections: []record.Injection{{Acknowledged: 1000, Found: 990, Took: 2.5}, {Acknowledged: 1000, Found: 1000, Took: 3.5}}}}
	c = only(t, advise(t, in), "host")
	want := []string{"power cut: 10 of 2000 acknowledged writes lost in 2 faults; answered again after 3.0 s, by its replica", "commits do not wait for its replica: a failover may lose the last ones", "the replica ran on the same machine: one on another host adds a round trip to commits that wait for it"}
	if c.Environment != "local" || c.Sure != Decided || !slices.Equal(c.Notes, want) {
		t.Errorf("%+v", c)
	}
	e.Replica, e.Volumes = nil, nil
	e.Kubernetes = &record.Kubernetes{Instances: 3}
	in.Record.Environments["local"] = e
	if c = only(t, advise(t, in), "host"); c.Environment != "ebs" || !strings.HasPrefix(c.Out[0].Why, "its replicas are not known to be on other nodes") {
		t.Errorf("%+v", c)
	}
	in.Record.Summary.Durability = map[string]record.Durability{"local": {Fault: "drain", Injections: []record.Injection{{Acknowledged: 9, Found: 9, Primary: &record.Primary{Before: record.PrimaryPod{Pod: "p1", Node: "n1"}, After: record.PrimaryPod{Pod: "p2", Node: "n2"}}}}}}
	if c = only(t, advise(t, in), "host"); c.Environment != "local" {
		t.Errorf("%+v", c)
	}
	in.Experiment.Environments[1].Facts = map[string]string{"survives": "zone"}
	if c := only(t, advise(t, in), "zone"); c.Environment != "local" || c.Sure != Alone || !slices.Contains(c.Notes, "the experiment says that it survives the loss of a zone (facts.survives)") {
		t.Errorf("%+v", c)
	}
}

// TestZone: what survives the loss of a zone, why, and what is not known.
func TestZone(t *testing.T) {
	volume := func(name string) record.Volume {
		d, err := device.Configure(name, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return record.Volume{Role: "data", Is: &record.Said{Model: d}}
	}
	apart := map[string]string{"zone": "a", "standby_zone": "b"}
	awaited := record.Environment{Settings: map[string]string{"synchronous_standby_names": "*", "synchronous_commit": "on"}}
	ebs := record.Volume{Role: "data", Remote: []host.Remote{{Name: "nvme1n1", Protocol: host.Cloud, Product: "Amazon EBS"}}}
	for _, c := range []struct {
		name     string
		says     experiment.Environment
		made     record.Environment
		survives bool
		because  string
	}{
		{"stated", experiment.Environment{Facts: map[string]string{"survives": "zone"}}, record.Environment{}, true, "the experiment says that it survives the loss of a zone (facts.survives)"},
		{"aurora", experiment.Environment{Cost: experiment.Cost{Service: "aurora-postgresql"}}, record.Environment{}, true, "its storage is Aurora's (" + guideAurora + ")"},
		{"label", experiment.Environment{Label: "RDS db.m6i.large, Multi-AZ"}, record.Environment{}, true, "its label says Multi-AZ (" + guideRDS + ")"},
		{"synchronous replica", experiment.Environment{Facts: apart}, record.Environment{Replica: &record.Replica{Synchronous: true}}, true, "commits wait for its standby in zone b, and the server is in zone a (facts)"},
		{"synchronous standby", experiment.Environment{Facts: apart}, awaited, true, "commits wait for its standby in zone b, and the server is in zone a (facts)"},
		{"asynchronous replica", experiment.Environment{Facts: apart}, record.Environment{Replica: &record.Replica{}}, false, "its standby is in another zone, but commits are not known to wait for it"},
		{"commits that do not wait", experiment.Environment{Facts: apart}, record.Environment{Settings: map[string]string{"synchronous_standby_names": "*", "synchronous_commit": "local"}}, false, "its standby is in another zone, but commits are not known to wait for it"},
		{"preferred", experiment.Environment{Facts: apart}, record.Environment{Kubernetes: &record.Kubernetes{Synchronous: &record.Synchronous{Durability: "preferred"}}}, false, "its standby is in another zone, but commits are not known to wait for it"},
		{"same zone", experiment.Environment{Facts: map[string]string{"zone": "a", "standby_zone": "a"}}, awaited, false, "its standby is in the same zone, a (facts)"},
		{"replica", experiment.Environment{}, record.Environment{Replica: &record.Replica{Synchronous: true}}, false, "whether its replica would be in another zone is not known (facts: {zone: a, standby_zone: b})"},
		{"gp3", experiment.Environment{}, record.Environment{Volumes: []record.Volume{volume("gp3")}}, false, "its data is on gp3, in one zone (" + guideEBS + ")"},
		{"an EBS volume as found", experiment.Environment{}, record.Environment{Volumes: []record.Volume{ebs}}, false, "its data is on Amazon EBS: EBS keeps copies within one availability zone: the volume does not survive the loss of its zone"},
		{"local", experiment.Environment{}, record.Environment{Volumes: []record.Volume{volume("local-nvme")}}, false, "its data is on local-nvme, a disk of one host (plinth's catalog of devices)"},
		{"longhorn", experiment.Environment{}, record.Environment{Volumes: []record.Volume{volume("longhorn-3r")}}, false, "its zones are not known (facts: {survives: zone}, or {zone: a, standby_zone: b})"},
		{"nothing", experiment.Environment{}, record.Environment{}, false, "its zones are not known (facts: {survives: zone}, or {zone: a, standby_zone: b})"},
	} {
		c.says.Name = "e"
		s := &study{Input: Input{Record: &record.Record{Environments: map[string]record.Environment{"e": c.made}}, Experiment: &experiment.Experiment{Environments: []experiment.Environment{c.says}}}}
		if survives, because := s.zone("e"); survives != c.survives || because != c.because {
			t.Errorf("%s: %v, %s", c.name, survives, because)
		}
	}
}

// TestVolumes: each volume has its own scale; one that is not emulated has none.
func TestVolumes(t *testing.T) {
	in := input(t, "tpcb-like", "  ebs: {}\n", values{"ebs": around(1000)})
	on(t, in, "ebs", "gp3", device.Options{IOPS: 4000})
	e := in.Record.Environments["ebs"]
	e.Volumes[0].Emulation.RateScale = 0.5
	gp3 := e.Volumes[0].Emulation.Model
	e.Volumes = append(e.Volumes, record.Volume{Role: "wal", Is: &record.Said{Model: gp3}})
	in.Record.Environments["ebs"] = e
	s, err := newStudy(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.volumes("ebs"), []volume{{"data", 1, 8000}, {"wal", 1, 4000}}; !slices.Equal(got, want) {
		t.Errorf("%+v, not %+v", got, want)
	}
}

func TestManaged(t *testing.T) {
	in := input(t, "tpcb-like", "  own: {}\n  rds: {facts: {instance: db.t3.large}}\n  other: {}\n", values{"own": around(1000), "rds": around(500), "other": around(700)})
	if got := why(advise(t, in), "managed"); got != "no environment: own, rds, other: plinth runs it itself" {
		t.Error(got)
	}
	for _, name := range []string{"rds", "other"} {
		e := in.Record.Environments[name]
		e.Kind = "connected"
		in.Record.Environments[name] = e
	}
	if c := only(t, advise(t, in), "managed"); c.Environment != "rds" || c.Sure != Alone || len(c.Out) != 2 {
		t.Errorf("%+v", c)
	}
}

func TestLossOf(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		want     float64
	}{
		{map[string]string{"appendonly": "yes", "appendfsync": "always"}, 0},
		{map[string]string{"appendonly": "yes", "appendfsync": "always", "no-appendfsync-on-rewrite": "no"}, 0},
		{map[string]string{"appendonly": "yes", "appendfsync": "always", "no-appendfsync-on-rewrite": "yes"}, math.Inf(1)},
		{map[string]string{"appendonly": "yes", "appendfsync": "everysec"}, 2},
		{map[string]string{"appendonly": "yes", "appendfsync": "everysec", "no-appendfsync-on-rewrite": "yes"}, math.Inf(1)},
		{map[string]string{"appendonly": "yes", "appendfsync": "no"}, math.Inf(1)},
		{map[string]string{"appendonly": "yes"}, math.NaN()},
		{map[string]string{"appendonly": "no", "save": "3600 1 300 100 60 10000"}, 3600},
		{map[string]string{"appendonly": "no", "save": "3600 1 900 1 60 10000"}, 900},
		{map[string]string{"appendonly": "no", "save": "900 100"}, math.Inf(1)}, // fewer changes are never saved
		{map[string]string{"appendonly": "no", "save": ""}, math.Inf(1)},
		{nil, math.NaN()},
	} {
		got := lossOf(record.Environment{Settings: c.settings})
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: %v, not %v", c.settings, got, c.want)
		}
	}
}

// TestLosses: for each number of seconds, the policy that performs best among those that lose no more.
func TestLosses(t *testing.T) {
	in := input(t, "set, get", "  none: {}\n  second: {}\n  slow-second: {}\n  always: {}\n", values{"none": around(4000), "second": around(3000), "slow-second": around(2000), "always": around(500)})
	for name, settings := range map[string]map[string]string{
		"none": {"appendonly": "no"}, "second": {"appendonly": "yes", "appendfsync": "everysec"}, "slow-second": {"appendonly": "yes", "appendfsync": "everysec"},
		"always": {"appendonly": "yes", "appendfsync": "always"},
	} {
		in.Record.Environments[name] = record.Environment{Name: name, Kind: "own", Server: "Redis", Settings: settings}
	}
	a := advise(t, in)
	at := slices.IndexFunc(a.Answers, func(a Answer) bool { return a.Name == "loss" })
	if at < 0 {
		t.Fatalf("%+v", a.Unanswered)
	}
	var got []string
	for _, c := range a.Answers[at].Choices {
		got = append(got, c.Workload+" "+c.If+": "+c.Environment+" "+string(c.Sure))
	}
	if want := []string{"set nothing lost: always alone", "set up to 2 s lost: second decided", "set everything lost: none decided"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestData: every rule, mistake and threshold of the data files can be evaluated.
func TestData(t *testing.T) {
	rules := Rules()
	if len(rules) < 10 {
		t.Fatalf("%d rules", len(rules))
	}
	for _, r := range rules {
		if r.Name == "" || r.Title == "" || r.Question == "" || r.Needs == "" || r.Source == "" ||
			!slices.Contains([]string{writes, reads, mixed, bursts, policies, "all"}, r.Of) || !slices.Contains([]string{"metric", "p99", "million", "month"}, r.Rank) {
			t.Errorf("%+v", r)
		}
		for _, f := range r.Among {
			if filters[f] == nil {
				t.Errorf("%s: there is no filter %s", r.Name, f)
			}
		}
	}
	flaws := Flaws()
	if len(flaws) != len(checks) {
		t.Errorf("%d mistakes, %d checks", len(flaws), len(checks))
	}
	for _, f := range flaws {
		if checks[f.Name] == nil || f.Title == "" || f.Source == "" {
			t.Errorf("%+v", f)
		}
	}
	if len(Resources()) == 0 {
		t.Error("no thresholds")
	}
	for _, h := range Resources() {
		if f, found := metric.FigureNamed(h.Figure); !found || !f.Share || h.Limit <= 0 || h.Limit > 1 || h.Source == "" || h.Then == "" {
			t.Errorf("%+v", h)
		}
	}
	if _, err := FindRule("write"); err == nil || !strings.Contains(err.Error(), `no rule "write"`) {
		t.Error(err)
	}
}

// evidence returns the evidence of a mistake.
func evidence(a *Advice, name string) string {
	for _, m := range a.Mistakes {
		if m.Name == name {
			return strings.Join(m.Evidence, "\n")
		}
	}
	return ""
}

// figures gives all runs of an environment figures.
func figures(in Input, environment string, of map[string]float64) {
	for i := range in.Record.Runs {
		if in.Record.Runs[i].Environment == environment {
			in.Record.Runs[i].Figures = of
		}
	}
}

func TestMistakes(t *testing.T) {
	in := input(t, "tpcb-like", "  t3: {instance: t3.large, storage: {data: {emulate: gp3, iops: 16000}}}\n  big: {instance: m6i.large, storage: {data: {emulate: gp3}}, settings: {max_wal_size: 8GB}}\n", values{"t3": around(1000), "big": around(1100)})
	none := advise(t, in)
	for _, name := range []string{"one-run", "settings-differ", "generator", "instance-below-volume", "memory-linear", "dirty-pages", "background-writer", "checkpoints-only", "disks-linear", "reads-hide-writes"} {
		if got := evidence(none, name); got != "" {
			t.Errorf("%s without evidence: %s", name, got)
		}
	}
	// 864 credits at 2 vCPUs, of which 0.6 are earned: 617 minutes. The CPU use is not known.
	i, err := instance.Find("t3.large")
	if err != nil {
		t.Fatal(err)
	}
	if lasts, _ := i.Credits.With(i.Credits.Mode, i.Credits.Most).Lasts(2); lasts.Round(time.Minute) != 617*time.Minute {
		t.Error(lasts)
	}
	if got := evidence(none, "burst-as-sustained"); got != "t3, tpcb-like: runs of 1m0s; the CPU use is not known, and a full balance of t3.large lasts 10.3 hours at full load" {
		t.Error(got)
	}
	in.Record.Summary.Warnings = []record.Note{{Rule: "parity-settings", Text: "random_page_cost is 4 in t3, 1.1 in big", Environment: "big"}}
	on(t, in, "t3", "gp3", device.Options{IOPS: 16000})
	e := in.Record.Environments["t3"]
	e.Dataset.SharedBuffers = 1 << 30
	in.Record.Environments["t3"] = e
	e = in.Record.Environments["big"]
	e.Dataset.SharedBuffers = 4 << 30
	e.Declared, e.Settings = map[string]string{"max_wal_size": "8GB"}, map[string]string{"bgwriter_delay": "200ms"}
	e.Volumes = []record.Volume{{Role: "data", Is: &record.Said{Model: device.Device{Array: &device.Array{Level: 0, Members: 4, Of: &device.Device{Name: "gp3", IOPS: device.Limit{Rate: 3000}}}}}}}
	in.Record.Environments["big"] = e
	in.Record.Machine = &record.Machine{Inventory: host.Inventory{Sysctl: []host.Setting{{Name: "vm.dirty_ratio", Value: "20"}, {Name: "vm.dirty_background_ratio", Value: "10"}}}}
	figures(in, "big", map[string]float64{"dirty-peak": 700e6, "buffers-backend-over-alloc": 0.4, "tps-variation": 0.3, "cpu-by-generator": 0.4, "cpu-by-server": 0.3, "cache-hit": 0.95, "cpu-use": 0.7})
	a := advise(t, in)
	for name, want := range map[string]string{
		"settings-differ":       "big: random_page_cost is 4 in t3, 1.1 in big",
		"instance-below-volume": "t3: the volumes have 16,000 IOPS, t3.large sustains 4,000\nbig: the volumes have 12,000 IOPS, m6i.large sustains 3,600",
		"memory-linear":         "big, tpcb-like: 4 times the shared_buffers of t3 have 1.1 times its TPS",
		"dirty-pages":           "big, tpcb-like: up to 700 MB of dirty pages, with vm.dirty_background_ratio at its default of 10",
		"background-writer":     "big, tpcb-like: backends wrote 40 % as many pages as were allocated, with bgwriter_delay at its default of 200ms",
		"checkpoints-only":      "big: max_wal_size is set, and nothing of the background writer or the kernel's write-back; TPS vary by 30 %",
		"disks-linear":          "big, tpcb-like/c1-j1: 4 disks for data, and 1 client; a client waits for one request at a time",
		"generator":             "big, tpcb-like: the load generator used 40 % of the CPUs, the server 30 %",
	} {
		if got := evidence(a, name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if len(a.Headroom) != 2 || a.Headroom[0].Full || !a.Headroom[1].Full || a.Headroom[1].Figure != "cache-hit" {
		t.Errorf("%+v", a.Headroom)
	}
	in.Thresholds = map[string]float64{"cpu-use": 0.6}
	if h := advise(t, in).Headroom[0]; !h.Full || h.Limit != 0.6 || h.Source != "given" {
		t.Errorf("%+v", h)
	}
	in = input(t, "tpcb-like", three, values{"slow": {1000}, "fast": {2000}, "dear": {3000}})
	in.Record.Machine = &record.Machine{} // its sysctls are not known
	figures(in, "slow", map[string]float64{"dirty-peak": 700e6})
	if got := evidence(advise(t, in), "dirty-pages"); got != "" {
		t.Errorf("dirty pages under unknown limits: %s", got)
	}
	if got := evidence(advise(t, in), "one-run"); got != "slow, tpcb-like; fast, tpcb-like; dear, tpcb-like" {
		t.Error(got)
	}
}

// TestBursts: an environment that uses up its CPU credits costs least for a burst, and its answer says for how
// long: 2 vCPUs, of which 0.6 are earned, for 864 credits.
func TestBursts(t *testing.T) {
	in := input(t, "tpcb-like", "  t3: {instance: t3.large, storage: {data: {emulate: gp3}}, limits: {cpu_credits: {instance: t3.large, mode: standard}}}\n  m6i: {instance: m6i.large, storage: {data: {emulate: gp3}}}\n", values{"t3": around(1000), "m6i": around(1000)})
	in.Record.Machine = &record.Machine{}
	in.Record.Machine.CPUs = 2
	figures(in, "t3", map[string]float64{"cpu-by-server": 1})
	a := advise(t, in)
	if c := only(t, a, "bursts"); c.Environment != "t3" || len(c.Notes) != 1 || !strings.HasPrefix(c.Notes[0], "t3: a burst may last 10.3 hours (CPU credits of t3.large); then about 300 of 1,000 TPS remain") {
		t.Errorf("%+v", c)
	}
	if got := evidence(a, "burst-as-sustained"); !strings.Contains(got, "runs of 1m0s; CPU credits of t3.large: a full balance lasts 10.3 hours under this load, which takes 2 vCPUs where 0.6 are sustained") {
		t.Error(got)
	}
}
