package record

import "maps"

// Replica describes the server that replicates an environment's server.
type Replica struct {
	Server   string            `json:"server"`  // "PostgreSQL"
	Version  string            `json:"version"` // "15.18 (Debian 15.18-0+deb12u1)"
	Settings map[string]string `json:"settings"`
	// Declared holds the settings that the experiment file asked for: those of the environment,
	// and the replica's own.
	Declared map[string]string `json:"declared,omitempty"`
	// Synchronous says that commits wait for the replica.
	Synchronous bool `json:"synchronous,omitempty"`
	// Volumes are the replica's own; their roles begin with "replica".
	Volumes []Volume `json:"volumes,omitempty"`
	Limits  *Limits  `json:"limits,omitempty"`
}

// AllVolumes returns the volumes of an environment's server, followed by those of its replica.
func (e Environment) AllVolumes() []Volume {
	if e.Replica == nil {
		return e.Volumes
	}
	return append(e.Volumes[:len(e.Volumes):len(e.Volumes)], e.Replica.Volumes...)
}

// SameReplica reports whether two servers have replicas that were asked for with the same settings and limits, or none.
func SameReplica(a, b *Replica) bool {
	if a == nil || b == nil {
		return a == b
	}
	return maps.Equal(a.Declared, b.Declared) && SameLimits(a.Limits, b.Limits)
}
