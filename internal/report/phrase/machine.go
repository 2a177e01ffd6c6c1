package phrase

// Machine returns the name of a machine of an experiment: its address in the experiment file, or
// "this machine" for the one that plinth was started on.
func Machine(at string) string {
	if at == "" {
		return "this machine"
	}
	return at
}
