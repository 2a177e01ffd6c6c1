package experimenttest

import (
	"pgregory.net/rapid"

	"plinth/internal/experiment"
)

// anyReplica draws a replica for a server with the given storage, or none.
func anyReplica(t *rapid.T, of experiment.Storage, name string) experiment.Replica {
	if rapid.Bool().Draw(t, "no replica") {
		return experiment.Replica{}
	}
	r := experiment.Replica{
		Storage: experiment.Storage{Data: anyVolume(t, name+"-replica-data")}, Settings: anyWords(t, "replica settings"),
		Limits: anyLimits(t), Synchronous: rapid.Bool().Draw(t, "synchronous"),
	}
	r.Limits.CPUCredits = experiment.CPUCredits{} // not of a replica
	if of.Temp.There() {
		r.Storage.Temp = anyVolume(t, name+"-replica-temp")
	}
	for _, space := range of.Tablespaces {
		r.Storage.Tablespaces = append(r.Storage.Tablespaces, experiment.Tablespace{Name: space.Name, Volume: anyVolume(t, name+"-replica-"+space.Name)})
	}
	return r
}

// anyDurability draws faults that are possible in the environments.
func anyDurability(t *rapid.T, environments []experiment.Environment) experiment.Durability {
	of, recovers := []string{experiment.OfPrimary}, []string{experiment.RecoverDisk}
	faults := []string{experiment.FaultKill, experiment.FaultDeletePod, experiment.FaultDrain}
	for _, env := range environments {
		if env.Existing() {
			return experiment.Durability{}
		}
		if !env.Kubernetes.There() {
			faults = faults[:1]
		}
		if env.Replica.There() && !env.Kubernetes.There() {
			of, recovers = []string{experiment.OfPrimary, experiment.OfBoth}, []string{experiment.RecoverDisk, experiment.RecoverPromote}
		}
	}
	if rapid.Bool().Draw(t, "no durability") {
		return experiment.Durability{}
	}
	d := experiment.Durability{Fault: oneOf(t, faults...), Of: oneOf(t, of...), Recover: oneOf(t, recovers...), Times: rapid.IntRange(1, 1000).Draw(t, "times")}
	for _, env := range environments {
		for _, part := range env.Parts() {
			if copies := part.Volume.RAID == "1" || part.Volume.RAID == "10"; copies || !part.Volume.Emulated() {
				return d
			}
		}
	}
	d.Fault = experiment.FaultPowerCut
	return d
}
