package experiment

// RoleReplica prefixes the roles of a replica's volumes: "replica data".
const RoleReplica = "replica"

// Parts returns the volumes that an environment declares: its server's, then its replica's.
func (e Environment) Parts() []Part { return append(e.Storage.Parts(), e.Replica.Parts()...) }

// Parts returns the volumes that a replica declares, with roles prefixed by RoleReplica.
func (r Replica) Parts() []Part {
	parts := r.Storage.Parts()
	for i := range parts {
		parts[i].Role = RoleReplica + " " + parts[i].Role
	}
	return parts
}

// Volumes returns all volumes that an environment can have, declared or not.
func (e *Environment) Volumes() []*Volume {
	return append(e.Storage.Volumes(), e.Replica.Storage.Volumes()...)
}
