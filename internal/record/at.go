package record

// MachineName returns the name of a machine from the At of its environments: "this machine" for the
// one that plinth was started on.
func MachineName(at string) string {
	if at == "" {
		return "this machine"
	}
	return at
}
