package conf

// Observing returns settings of the servers that plinth creates, which the experiment may override. They
// are the same in every environment, observed or not, so that their cost does not differ between them.
// replicated says that the server has a replica.
func Observing(replicated bool) []Directive {
	// The threshold in milliseconds of LATENCY events, which plinth reads. It costs two clock
	// readings for each command.
	// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency-monitor/
	all := []Directive{{"latency-monitor-threshold", "10"}}
	if replicated {
		// By default it waits for more replicas before a full synchronisation; there is only one.
		all = append(all, Directive{"repl-diskless-sync-delay", "0"})
	}
	return all
}
