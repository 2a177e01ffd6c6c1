package onkube

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestStorageByClass runs the built-in cnpg-storage in a cluster that has two of its storage classes.
// The server on this machine differs from those of CloudNativePG in nothing but what plinth needs itself.
func TestStorageByClass(t *testing.T) {
	l := newLab(t)
	sets := []string{
		"kubernetes.namespace=" + l.namespace, "kubernetes.image=localhost/plinth:test",
		"environments.local-ssd.kubernetes.image=localhost/postgresql:15", "environments.longhorn-1r.kubernetes.image=localhost/postgresql:15",
		"environments.longhorn-1r.storage.data.class=slow",
		"workloads=simple-update", "clients=[1,2]", "repeats=4", "duration=1s", "warmup=0s", "dataset.scale=1", "settings.shared_buffers=64MB",
	}
	args := []string{"run", "cnpg-storage", "--quick"}
	for _, set := range sets {
		args = append(args, "--set", set)
	}
	out := l.run(0, args...)
	rec := l.record()
	var left []string
	for _, one := range rec.Summary.LeftOut {
		left = append(left, one.Environment)
	}
	if want := []string{"longhorn-2r", "longhorn-2r-shared", "rds", "aurora-io-optimized", "aurora-standard"}; !slices.Equal(left, want) {
		t.Errorf("left out: %v", left)
	}
	if rec.Summary.State != record.Complete || len(rec.Environments) != 3 || !strings.Contains(out, "longhorn-2r is left out") {
		t.Errorf("%s with %d environments:\n%s", rec.Summary.State, len(rec.Environments), out)
	}
	for _, other := range []string{"longhorn-1r", "this-machine"} {
		compared := slices.IndexFunc(rec.Summary.Verdicts, func(v record.Verdict) bool { return v.Baseline == "local-ssd" && v.Other == other })
		if compared < 0 {
			t.Errorf("%s is not compared", other)
		} else if v := rec.Summary.Verdicts[compared]; v.Outcome == "" && count(rec, record.Invalid) == 0 { // a busy machine makes runs invalid
			t.Errorf("no verdict on %s: %+v", other, v)
		}
	}
	for name, e := range rec.Environments {
		if e.Transport != "tls" {
			t.Errorf("%s is reached by %s", name, e.Transport)
		}
	}
	for _, note := range rec.Summary.Warnings {
		const unlike = "local-ssd and this-machine differ in settings: log_destination: csvlog / stderr, logging_collector: on / off"
		if note.Rule == "parity-settings" && note.Text != unlike || note.Rule == "parity-transport" {
			t.Errorf("%s: %s", note.Rule, note.Text)
		}
	}
}

// TestNothingOnTheCluster runs an experiment whose environments on Kubernetes are all left out.
func TestNothingOnTheCluster(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.run(0, "run", l.file(short+`
repeats: 1
environments:
  here: {}
  gone: {optional: true, kubernetes: {operator: none, image: "localhost/postgresql:15"}, storage: {data: {class: gone, size: 1GiB}}}
`))
	rec := l.record()
	if rec.Summary.State != record.Complete || len(rec.Summary.LeftOut) != 1 || len(rec.Environments) != 1 {
		t.Errorf("%s, %d environments, left out: %v", rec.Summary.State, len(rec.Environments), rec.Summary.LeftOut)
	}
}
