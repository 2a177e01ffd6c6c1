package decode

import (
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
)

// TestDurabilityIsWrittenOut checks that all short forms expand to the same full form.
func TestDurabilityIsWrittenOut(t *testing.T) {
	const environments = "\nworkloads: [select-only]\nenvironments: {a: {storage: {data: {emulate: gp3}}, replica: {storage: {data: {emulate: gp3}}}}, b: {storage: {data: {emulate: gp3}}}}"
	for text, want := range map[string]experiment.Durability{
		"fault: kill":           {Fault: experiment.FaultKill, Of: experiment.OfPrimary, Recover: experiment.RecoverDisk, Times: 1},
		"durability: power-cut": {Fault: experiment.FaultPowerCut, Of: experiment.OfPrimary, Recover: experiment.RecoverDisk, Times: 1},
		"durability: {fault: kill, recover: promote, times: 20}": {Fault: experiment.FaultKill, Of: experiment.OfPrimary, Recover: experiment.RecoverPromote, Times: 20},
		"durability: {fault: power-cut, of: both}":               {Fault: experiment.FaultPowerCut, Of: experiment.OfBoth, Recover: experiment.RecoverDisk, Times: 1},
		"seed: 1": {},
	} {
		e, _, err := Parse("test.yaml", []byte(text+environments), "", nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if e.Durability != want || e.Fault != "" {
			t.Errorf("%s: %+v, fault %q", text, e.Durability, e.Fault)
		}
		if in := e.Durability.In(e.Environments[1]); want.Fault != "" && in != (experiment.Durability{Fault: want.Fault, Of: experiment.OfPrimary, Recover: experiment.RecoverDisk, Times: want.Times}) {
			t.Errorf("%s: without a replica it is %+v", text, in)
		}
		if again, _, err := Parse("test.yaml", encode.YAML(e), "", nil); err != nil || again.Durability != want {
			t.Errorf("%s: read back it is %+v, %v", text, again, err)
		}
	}
}

// TestReplica checks the environment from which a replica is created.
func TestReplica(t *testing.T) {
	e, _, err := Parse("test.yaml", []byte(`
workloads: [select-only]
settings: {work_mem: 4MB, max_wal_size: 1GB}
environments:
  none: {}
  plain: {replica: {}}
  own: {settings: {work_mem: 8MB}, replica: {synchronous: true, settings: {Work_Mem: 16MB}, limits: {cpus: 1}, storage: {wal: {emulate: gp3}}}}
`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Environments[0].Replica.There() || len(e.Environments[0].Parts()) != 1 {
		t.Error("a replica that nobody asked for")
	}
	if plain := e.Environments[1]; plain.Replica.Storage.Data.Directory != "." {
		t.Errorf("%+v", plain.Replica)
	}
	own := e.Environments[2]
	var roles []string
	for _, part := range own.Parts() {
		roles = append(roles, part.Role+"="+part.Name)
	}
	if got := strings.Join(roles, ", "); got != "data=data, replica data=data, replica wal=wal" {
		t.Error(got)
	}
	if own.Replica.Storage.WAL.Backing != "." {
		t.Error("its emulated device has no place")
	}
	settings := e.SettingsOf(experiment.ReplicaOf(own))
	if len(settings) != 2 || settings["Work_Mem"] != "16MB" || settings["max_wal_size"] != "1GB" {
		t.Errorf("%v", settings)
	}
	if r := experiment.ReplicaOf(own); r.Replica.There() || r.Limits.CPUs != 1 || r.Name != "own" {
		t.Errorf("%+v", r)
	}
}
