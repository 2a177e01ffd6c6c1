package experiment

import "pgregory.net/rapid"

// anyReplica draws a replica for a server with the given storage, or none.
func anyReplica(t *rapid.T, of Storage, name string) Replica {
	if rapid.Bool().Draw(t, "no replica") {
		return Replica{}
	}
	r := Replica{
		Storage: Storage{Data: anyVolume(t, name+"-replica-data")}, Settings: anyWords(t, "replica settings"),
		Limits: anyLimits(t), Synchronous: rapid.Bool().Draw(t, "synchronous"),
	}
	if of.Temp.There() {
		r.Storage.Temp = anyVolume(t, name+"-replica-temp")
	}
	for _, space := range of.Tablespaces {
		r.Storage.Tablespaces = append(r.Storage.Tablespaces, Tablespace{space.Name, anyVolume(t, name+"-replica-"+space.Name)})
	}
	return r
}

// anyDurability draws what can be done to the environments.
func anyDurability(t *rapid.T, environments []Environment) Durability {
	of, recovers := []string{OfPrimary}, []string{RecoverDisk}
	for _, env := range environments {
		if env.Connect != "" {
			return Durability{}
		}
		if env.Replica.There() {
			of, recovers = []string{OfPrimary, OfBoth}, []string{RecoverDisk, RecoverPromote}
		}
	}
	if rapid.Bool().Draw(t, "no durability") {
		return Durability{}
	}
	d := Durability{Fault: FaultKill, Of: oneOf(t, of...), Recover: oneOf(t, recovers...), Times: rapid.IntRange(1, 1000).Draw(t, "times")}
	for _, env := range environments {
		for _, part := range env.Parts() {
			if !part.Volume.Emulated() {
				return d
			}
		}
	}
	d.Fault = FaultPowerCut
	return d
}
