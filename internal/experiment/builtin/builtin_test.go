package builtin

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/experimenttest"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

func TestBuiltins(t *testing.T) {
	want := []Info{
		{"backup-under-load", "How much do backups slow down transactions, and does a throughput burst help?"},
		{"burst-soak", "What is a burst worth, and when does it end?"},
		{"checkpoint-spacing", "How far apart should checkpoints be?"},
		{"cnpg-failover", "How many commits does a failover lose, and how long does it take?"},
		{"cnpg-storage", "Does storage matter more than the platform, on this cluster?"},
		{"cnpg-tuning", "Which layer of a tuned pod makes the difference?"},
		{"commit-delay", "Does commit_delay increase throughput?"},
		{"content-platform", "How much faster is the published layout than one gp3 volume?"},
		{"data-filesystem", "XFS or ext4 for the data?"},
		{"data-mount", "Which mount and mkfs options of the data filesystem make a difference?"},
		{"local-with-standby", "Can a local disk with a standby replace replicated storage?"},
		{"memory-ratio", "How much memory does a dataset need, and when does more memory stop helping?"},
		{"numa-hugepages", "How much do pinning, the governor and huge pages each contribute?"},
		{"profiles", "Which tuning profile is best on this machine?"},
		{"quickstart-memory", "How much does a commit cost on this disk, compared with memory?"},
		{"quickstart", "What does a commit cost on this disk, and on a gp3 volume?"},
		{"raid-members", "Do more disks make each commit faster, or do they only allow more commits?"},
		{"raid10-gp3", "Can sixteen gp3 volumes in RAID 10 replace one io2 volume with 20,000 IOPS?"},
		{"read-ceiling", "Are reads faster with 6 GB of shared_buffers than with 1.9 GB?"},
		{"redis-aof-kubernetes", "How much does an append-only file cost on each storage class of this cluster?"},
		{"redis-aof", "How much does an append-only file cost, locally and on replicated storage?"},
		{"redis-fsync", "How much does each appendfsync policy cost on each device?"},
		{"redis-split-persistence", "How much data does each persistence policy keep, and at what cost?"},
		{"replicated-storage", "How much does each replica of a volume slow down writes and reads?"},
		{"scaling-options", "What helps most: more memory, more IOPS, io2, or more shared_buffers?"},
		{"storage-baseline", "Does storage matter more than the platform?"},
		{"tablespaces", "Which queries slow down when cold tables are on cheap storage, and by how much?"},
		{"telemetry-cost", "How much does telemetry cost?"},
		{"tuning-ablation", "Which of the published settings make the difference?"},
		{"tuning-journey", "Does throughput collapse when the page cache fills, and which tuning phase helps?"},
		{"volume-types", "Which cloud volume does this workload need, and with how many IOPS?"},
		{"wal-filesystem", "Which filesystem and which options are best for the WAL?"},
		{"wal-separation", "Does a separate WAL device increase write throughput?"},
	}
	if got := All(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	for _, b := range All() {
		e, warnings, err := Load(b.Name, nil)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", b.Name, warnings, err)
		}
		if e.Name != b.Name || e.Question != b.Question {
			t.Errorf("%s is named %s, asks %s", b.Name, e.Name, e.Question)
		}
	}
}

func TestQuickstarts(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]string{"quickstart": "gp3", "quickstart-memory": "/dev/shm"} {
		e, _, err := Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if runs := e.Schedule().Runs(); runs != 48 || e.Duration.Std() != time.Second || e.Baseline != "disk" {
			t.Errorf("%s: %d runs of %s against %s", name, runs, e.Duration, e.Baseline)
		}
		first, second := e.Environments[0].Storage.Data, e.Environments[1].Storage.Data
		if first.Directory+first.Backing != here || second.Directory+second.Emulate.Name != other {
			t.Errorf("%s: environments %v", name, e.Environments)
		}
	}
}

// The files match the published experiments.
func TestPublishedParameters(t *testing.T) {
	for name, want := range map[string]struct {
		environments, runs, scale, seconds int // runs in one environment and repeat
		clients, threads                   []int
	}{
		"replicated-storage": {4, 39, 100, 60, []int{1, 10, 25, 50, 100}, []int{1, 4, 8}},
		"cnpg-storage":       {5, 39, 100, 60, []int{1, 10, 25, 50, 100}, []int{1, 4, 8}},
		"cnpg-tuning":        {6, 39, 100, 60, []int{1, 10, 25, 50, 100}, []int{1, 4, 8}},
		"wal-separation":     {2, 1, 100, 300, []int{16}, []int{4}},
		"wal-filesystem":     {6, 1, 100, 60, []int{16}, []int{4}},
		"volume-types":       {6, 1, 100, 60, []int{16}, []int{4}},
		"raid10-gp3":         {2, 1, 1250, 60, []int{100}, []int{6}},
		"raid-members":       {4, 2, 100, 60, []int{1, 64}, []int{1}},
		"data-mount":         {4, 2, 100, 60, []int{16}, []int{4}},
		"content-platform":   {2, 4, 20, 300, []int{16}, []int{4}},
		"tablespaces":        {2, 3, 10, 60, []int{8}, []int{4}},
		"tuning-journey":     {4, 1, 100, 60, []int{100}, []int{6}},
		"tuning-ablation":    {18, 1, 50, 60, []int{50}, []int{6}},
		"numa-hugepages":     {5, 39, 100, 60, []int{1, 10, 25, 50, 100}, []int{1, 4, 8}},
		"read-ceiling":       {3, 13, 100, 60, []int{1, 10, 25, 50, 100}, []int{1, 4, 8}},
		"memory-ratio":       {7, 2, 50, 60, []int{16}, []int{4}},
		"commit-delay":       {4, 3, 10, 30, []int{1, 10, 100}, []int{1}},
		"checkpoint-spacing": {5, 1, 100, 120, []int{16}, []int{4}},
		"profiles":           {4, 3, 100, 60, []int{50}, []int{4}},
	} {
		e, _, err := Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Environments) != want.environments || len(e.Cells()) != want.runs || e.Dataset.Scale != want.scale ||
			e.Duration.Seconds() != float64(want.seconds) || !reflect.DeepEqual(e.Clients, want.clients) || !reflect.DeepEqual(e.Threads, want.threads) {
			t.Errorf("%s: %d environments, %d cells, scale %d, %s, %v x %v",
				name, len(e.Environments), len(e.Cells()), e.Dataset.Scale, e.Duration, e.Clients, e.Threads)
		}
		verdictPossible(t, e)
	}
}

// An emulated experiment needs no device, and its rates fit the machine.
func TestEmulatedBuiltinsRunAnywhere(t *testing.T) {
	for _, name := range Names() {
		e, _, err := Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, env := range e.Environments {
			for _, part := range env.Storage.Parts() {
				models, err := part.Volume.Models()
				if err != nil || part.Volume.Device != "" || part.Volume.RAID != "" {
					t.Errorf("%s: %s of %s: %v", name, part.Role, env.Name, err)
				}
				share, fit := e.RateShare()
				for _, model := range models {
					if iops, _ := model.Provisioned(); iops*share > 10_000 && !fit {
						t.Errorf("%s: %s of %s has %.0f IOPS", name, part.Role, env.Name, iops)
					}
				}
			}
		}
	}
}

func TestStorageBaseline(t *testing.T) {
	e, _, err := Load("storage-baseline", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"shared_buffers": "1900MB", "effective_cache_size": "3800MB", "work_mem": "4MB",
		"max_connections": "839", "wal_buffers": "60MB", "maintenance_work_mem": "128MB",
	}
	if e.Schedule().Runs() != 39 || e.Dataset.Scale != 100 || e.Duration.Std() != time.Minute || !reflect.DeepEqual(e.Settings, want) {
		t.Errorf("%d runs at scale %d of %s with %v", e.Schedule().Runs(), e.Dataset.Scale, e.Duration, e.Settings)
	}
}

// TestCNPGStorage checks the environments that are there only if their servers are given.
func TestCNPGStorage(t *testing.T) {
	e, _, err := Load("cnpg-storage", nil)
	if err != nil {
		t.Fatal(err)
	}
	reason := func(name string) string { return "no connection string is given (environments." + name + ".connect)" }
	want := []experiment.Absent{
		{Environment: "rds", Reason: reason("rds")},
		{Environment: "aurora-io-optimized", Reason: reason("aurora-io-optimized")},
		{Environment: "aurora-standard", Reason: reason("aurora-standard")},
	}
	if !reflect.DeepEqual(e.Absent, want) {
		t.Errorf("absent: %v", e.Absent)
	}
	var sets []string
	for _, absent := range e.Absent {
		sets = append(sets, "environments."+absent.Environment+".connect=postgresql://bench@db.example/postgres")
	}
	if _, _, err := Load("cnpg-storage", sets); err == nil {
		t.Error("servers that exist are used without consent")
	}
	for _, absent := range e.Absent {
		sets = append(sets, "environments."+absent.Environment+".disposable=true")
	}
	e, _, err = Load("cnpg-storage", sets)
	if err != nil || len(e.Absent) > 0 || len(e.Environments) != 8 {
		t.Errorf("%d environments, without %v: %v", len(e.Environments), e.Absent, err)
	}
}

// The commands in the comments of the built-in files must be valid.
func TestCommandsInTheCommentsOfBuiltins(t *testing.T) {
	t.Chdir(t.TempDir())
	experimenttest.Write(t, "mine.yaml", "name: mine\nread: {median: 2ms}\nwrite: {median: 3ms}\n")
	for _, name := range Names() {
		commands := commandsOf(t, name)
		for _, c := range commands {
			if _, _, err := Load(c.of, c.sets); err != nil {
				t.Errorf("%s: %s %q: %v", name, c.of, c.sets, err)
			}
		}
		if len(commands) == 0 {
			t.Errorf("%s does not say how to change it", name)
		}
	}
}

// The short form of every experiment takes at most ten minutes, assuming two seconds of overhead for
// each run, and says what it cannot answer. A few would give another answer in ten.
func TestQuickForms(t *testing.T) {
	longer := map[string]time.Duration{"profiles": 31 * time.Minute, "scaling-options": 18 * time.Minute} // shared buffers have to be in use before they measure
	var total time.Duration
	for _, name := range Names() {
		e, _, err := Load(name, []string{"form=quick"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		took := time.Duration(e.Schedule().Runs()) * (e.Warmup + e.Duration + 2e9).Std()
		if len(e.OnKubernetes()) == 0 { // those on Kubernetes need a cluster
			total += took
		}
		if took > max(10*time.Minute, longer[name]) {
			t.Errorf("%s takes %s: %d runs", name, took, e.Schedule().Runs())
		}
		if e.Quick.Note == "" {
			t.Errorf("%s does not say what its short form cannot answer", name)
		}
		if e.Engine == experiment.EnginePostgres && len(e.Environments) > 1 {
			verdictPossible(t, e)
		}
	}
	if total > 175*time.Minute { // those of the published claims alone take less than two hours
		t.Errorf("all short forms take %s", total)
	}
}

// A published form needs no more than the file says.
func TestPublishedForms(t *testing.T) {
	known := 0
	for _, name := range Names() {
		plain, _, err := Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(plain.Published, experiment.Form{}) {
			continue
		}
		known++
		e, _, err := Load(name, []string{"form=published"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		verdictPossible(t, e)
	}
	if known < 9 {
		t.Errorf("%d published forms", known)
	}
}

// verdictPossible checks that each workload has enough blocks: the smallest p of n blocks is 2/2^n, and
// all comparisons share 5 %.
func verdictPossible(t *testing.T, e *experiment.Experiment) {
	t.Helper()
	pairs := len(e.Environments) - 1
	if e.ComparesAll() {
		pairs = len(e.Environments) * pairs / 2
	}
	comparisons := float64(len(e.Workloads) * pairs)
	blocks := len(e.Cells()) / len(e.Workloads) * e.Repeats
	if e.Interleave == "repeat" {
		blocks = e.Repeats // the test flips repeats
	}
	if 2/math.Pow(2, float64(blocks)) > 0.05/comparisons {
		t.Errorf("%s: %d blocks of a workload give no verdict in %.0f comparisons", e.Name, blocks, comparisons)
	}
}

// command is a command in the comments of a built-in experiment.
type command struct {
	of   string // the experiment
	sets []string
}

// commandsOf returns the commands in a built-in's comments that have --set. A backslash continues a command on
// the next line.
func commandsOf(t *testing.T, name string) []command {
	t.Helper()
	data, err := files.ReadFile(name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`\\\n# *`).ReplaceAllString(string(data), "")
	var commands []command
	run := regexp.MustCompile(`plinth run ([a-z0-9-]+)`)
	for line := range strings.Lines(text) {
		if sets := experimenttest.FlagsIn(line); len(sets) > 0 && strings.HasPrefix(strings.TrimSpace(line), "#") {
			if strings.Contains(line, " --published ") {
				sets = append(sets, "form=published")
			}
			of := name
			if match := run.FindStringSubmatch(line); match != nil {
				of = match[1]
			}
			commands = append(commands, command{of, sets})
		}
	}
	return commands
}

func TestUnknownBuiltin(t *testing.T) {
	_, _, err := Load("quikstart", nil)
	experimenttest.CompareGolden(t, filepath.Join("testdata", "unknown-builtin.txt"), experimenttest.Mistakes(t, err))
}

func TestScaleBelowClientsIsAWarning(t *testing.T) {
	_, warnings, err := Load("storage-baseline", []string{"duration=2s", "dataset.scale=5"})
	want := []experiment.Warning{{
		Rule: "scale-below-clients",
		Text: "scale 5 is less than the number of clients, 100: tpcb-like then measures row lock waits",
		Hint: "set dataset.scale to 100 or more",
	}}
	if err != nil || !reflect.DeepEqual(warnings, want) {
		t.Errorf("got %v, %v", warnings, err)
	}
	_, warnings, err = Load("storage-baseline", []string{"dataset.scale=5", "workloads=[simple-update]"})
	if err != nil || len(warnings) > 0 {
		t.Errorf("without tpcb-like: %v, %v", warnings, err)
	}
}

func TestSeedsDiffer(t *testing.T) {
	seeds := map[uint64]bool{}
	for range 10 {
		e, _, err := Load("quickstart", nil)
		if err != nil {
			t.Fatal(err)
		}
		seeds[e.Seed] = true
	}
	if len(seeds) < 9 {
		t.Errorf("%d different seeds of 10", len(seeds))
	}
}

// For every built-in experiment, the results of checks without a machine agree with those on one.
func TestBuiltinsCanBeWorkedOut(t *testing.T) {
	facts := profile.Facts{
		Memory: 4 << 30, CPUs: 4, HugePage: 2 << 20, HugePages: 10, HugePagesUsed: 1, Governor: "powersave",
		Nodes:  []profile.Node{{ID: 0, CPUs: "0-1", Memory: 2 << 30, Free: 1 << 30}, {ID: 1, CPUs: "2-3", Memory: 2 << 30, Free: 1 << 30}},
		Engine: experiment.EnginePostgres, Version: 18, Connections: 100, HugePagesNeeded: 500,
	}
	for _, name := range Names() {
		e, _, err := Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, env := range e.Environments {
			worked, err := profile.Work(e.Engine, e.ProfilesOf(env), env.Without, facts)
			if err != nil {
				t.Errorf("%s, %s: %v", name, env.Name, err)
				continue
			}
			settings, err := experiment.Tuned(e.Engine, env)
			var told, found []knob.Key
			for _, s := range settings {
				told = append(told, s.Key)
			}
			for _, v := range worked.Values {
				found = append(found, v.Key)
			}
			if err != nil || !slices.Equal(told, found) {
				t.Errorf("%s, %s: %v were told, %v found; %v", name, env.Name, told, found, err)
			}
		}
	}
}
