package experiment

// RoleReplica stands before the roles of a replica's volumes: "replica data".
const RoleReplica = "replica"

// Parts are the volumes that an environment asks for: those of its server, then
// those of its replica.
func (e Environment) Parts() []Part { return append(e.Storage.Parts(), e.Replica.Parts()...) }

// Parts are the volumes that a replica asks for, with roles of their own.
func (r Replica) Parts() []Part {
	parts := r.Storage.Parts()
	for i := range parts {
		parts[i].Role = RoleReplica + " " + parts[i].Role
	}
	return parts
}

// Volumes are all volumes that an environment can have, whether or not they are there.
func (e *Environment) Volumes() []*Volume {
	return append(e.Storage.Volumes(), e.Replica.Storage.Volumes()...)
}
