// Package experimenttest generates experiments for property tests, and compares output with
// golden files.
package experimenttest

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// Any generates valid experiments, as decode.Parse returns them.
func Any() *rapid.Generator[*experiment.Experiment] {
	return rapid.Custom(func(t *rapid.T) *experiment.Experiment {
		e := &experiment.Experiment{
			Name: anyName(t, "name"), Question: anyText(t, "question"), Engine: "postgres",
			Dataset: experiment.Dataset{
				Scale: rapid.IntRange(1, 1000).Draw(t, "scale"), Fillfactor: rapid.IntRange(10, 100).Draw(t, "fillfactor"),
				Reload: oneOf(t, "once", "repeat"), Partitions: rapid.IntRange(0, 8).Draw(t, "partitions"), ForeignKeys: rapid.Bool().Draw(t, "foreign keys"),
			},
			Clients:        rapid.SliceOfNDistinct(rapid.IntRange(1, 90), 1, 4, rapid.ID).Draw(t, "clients"),
			Threads:        append([]int{1}, rapid.SliceOfNDistinct(rapid.IntRange(2, 16), 0, 3, rapid.ID).Draw(t, "threads")...),
			Protocol:       oneOf(t, "simple", "extended", "prepared"),
			Connect:        oneOf(t, "once", "each"),
			MaxTries:       rapid.IntRange(1, 5).Draw(t, "max tries"),
			Warmup:         anyDuration(t, 0),
			Settle:         anyDuration(t, 0),
			Reset:          oneOf(t, "vacuum", "reload", "none"),
			Repeats:        rapid.IntRange(1, 8).Draw(t, "repeats"),
			Metric:         oneOf(t, "tps", "p99.9", "p99-under-10ms"),
			Margin:         unit.Share(float64(rapid.IntRange(0, 500).Draw(t, "margin")) / 1000),
			Stop:           "end",
			ExpectFailures: rapid.Bool().Draw(t, "expect failures"),
			Interleave:     oneOf(t, "block", "repeat"),
			Telemetry:      oneOf(t, "on", "off"),
			Seed:           rapid.Uint64Range(1, 1<<53-1).Draw(t, "seed"),
			Settings:       anyWords(t, "settings"),
			KeepLog:        rapid.Bool().Draw(t, "keep log"),
			Environments:   anyEnvironments(t),
			Caches:         oneOf(t, experiment.CachesKeep, experiment.CachesDrop, experiment.CachesPrewarm),
			Awake:          oneOf(t, experiment.AwakeAuto, experiment.AwakeOn, experiment.AwakeOff),
			AllowHost:      true,
		}
		anyShortForm(t, e)
		e.Baseline = e.Environments[rapid.IntRange(0, len(e.Environments)-1).Draw(t, "baseline")].Name
		e.Workloads = anyWorkloads(t)
		e.Durability = anyDurability(t, e.Environments)
		if len(e.Environments) > 1 {
			e.Stop = oneOf(t, "end", "decided")
		}
		if e.Ablate == experiment.Screen {
			e.Baseline, e.Stop = experiment.AblationAll, "end"
		}
		e.EmulatedRates = oneOf(t, "", "full", "fit", "25%")
		anyCluster(t, e)
		if !slices.ContainsFunc(e.Environments, func(env experiment.Environment) bool { return env.Existing() }) {
			e.Events = anyEvents(t)
		}
		e.Dataset.Shared = canShare(e) && rapid.Bool().Draw(t, "shared")
		if rapid.Bool().Draw(t, "open loop") {
			e.Rates = rapid.SliceOfNDistinct(rapid.Float64Range(0.001, 1e9), 1, 3, rapid.ID).Draw(t, "rates")
			e.LatencyLimit = anyDuration(t, 1000)
		}
		if rapid.Bool().Draw(t, "counted") {
			e.Transactions = rapid.Int64Range(1, 1e12).Draw(t, "transactions")
		} else {
			e.Duration = unit.Duration(rapid.Int64Range(701, 100_000).Draw(t, "duration") * 1e9)
		}
		return e
	})
}

// canShare reports whether environments of an experiment may share data.
func canShare(e *experiment.Experiment) bool {
	return e.Durability.Fault == "" && !slices.ContainsFunc(e.Environments, func(env experiment.Environment) bool {
		return env.Existing() || env.Kubernetes.There() || env.Replica.There()
	})
}

func oneOf(t *rapid.T, words ...string) string { return rapid.SampledFrom(words).Draw(t, "word") }

func anyName(t *rapid.T, label string) string {
	return rapid.StringMatching(`[a-z0-9][a-z0-9.-]{0,20}`).Draw(t, label)
}

// anyText generates ordinary text, and text that is difficult in YAML.
func anyText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"on", "yes", "null", "~", "1e3", "0x10", "2001-01-01", "<<", "- a", "a: b", "# c", "'", `"`, " x ", "@x", "*a", "&a", "!t", "%", "|", ">", "---", "...", "=", "a #b", "\u2028", "\ufeff"}),
		rapid.StringN(1, 40, -1).Filter(func(s string) bool { return !strings.ContainsRune(s, 0) }),
	).Draw(t, label)
}

func anyScript(t *rapid.T, label string) string {
	lines := rapid.SliceOfN(rapid.OneOf(rapid.Just("SELECT 1;"), rapid.Just("  \\set a 1"), rapid.Just(""), rapid.Just("x \t"),
		rapid.StringN(1, 20, -1).Filter(func(s string) bool { return !strings.ContainsRune(s, 0) })), 1, 5).Draw(t, label)
	return "--" + strings.Join(lines, oneOf(t, "\n", "\r\n"))
}

func anyDuration(t *rapid.T, least int64) unit.Duration {
	units := rapid.SampledFrom([]int64{1, 1000, 1e6, 1e9, 60e9, 3600e9}).Draw(t, "unit")
	return unit.Duration(max(least, rapid.Int64Range(0, 700).Draw(t, "amount")*units))
}

func anyWords(t *rapid.T, label string) map[string]string {
	words := map[string]string{}
	for i := range rapid.IntRange(0, 3).Draw(t, label) {
		words[fmt.Sprintf("name_%d", i)] = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return -1
			}
			return r
		}, anyText(t, label))
	}
	if len(words) == 0 {
		return nil
	}
	return words
}

func anyEnvironments(t *rapid.T) []experiment.Environment {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9][a-z0-9.-]{0,8}`), 1, 4, rapid.ID).Draw(t, "environments")
	var list []experiment.Environment
	kubernetes := rapid.IntRange(0, 3).Draw(t, "kubernetes") == 0
	for _, name := range names {
		env := experiment.Environment{Name: name, Settings: anyWords(t, "settings"), Cost: anyCost(t)}
		if kubernetes {
			anyKubernetes(t, &env)
			list = append(list, env)
			continue
		}
		if rapid.Bool().Draw(t, "connected") {
			env.Connect, env.Disposable = conninfo.Conninfo(oneOf(t, "postgresql://u@h/d", "host=h user='a b'", "postgresql://?sslmode=require")), true
			env.Optional = rapid.Bool().Draw(t, "optional")
		} else {
			env.Storage = anyStorage(t, name)
			env.Postgres.Version = rapid.SampledFrom([]int{0, 13, 18}).Draw(t, "version")
			env.Limits = anyLimits(t)
			env.Pressure = anyPressure(t, env.Storage)
			env.Replica = anyReplica(t, env.Storage, name)
			env.Transport = oneOf(t, "", "tcp", "tls")
		}
		env.Tuning = anyTuning(t, env.Connect != "")
		if len(env.Tuning) > 0 && rapid.Bool().Draw(t, "without") {
			settings, _ := experiment.Tuned(experiment.EnginePostgres, env)
			env.Without = []string{settings[len(settings)-1].Part(oneOf(t, "layer", "group", "knob"))}
		}
		list = append(list, env)
	}
	return list
}

func anyWorkloads(t *rapid.T) []experiment.Workload {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`w[0-9]{1,3}`), 0, 3, rapid.ID).Draw(t, "workloads")
	list := []experiment.Workload{experiment.WorkloadOf("select-only")}
	for _, name := range names {
		w := experiment.Workload{Name: name, Variables: anyWords(t, "variables")}
		for i := range rapid.IntRange(1, 3).Draw(t, "scripts") {
			s := experiment.Script{Name: fmt.Sprintf("s%d", i), Weight: rapid.IntRange(1, 9).Draw(t, "weight")}
			if s.Builtin = oneOf(t, "", "tpcb-like"); s.Builtin == "" {
				s.SQL = anyScript(t, "sql")
			}
			w.Scripts = append(w.Scripts, s)
		}
		if rapid.Bool().Draw(t, "init") {
			w.Init.SQL = anyScript(t, "init")
		}
		list = append(list, w)
	}
	slices.Reverse(list)
	return list
}
