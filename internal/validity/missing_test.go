package validity

import "plinth/internal/record"

// gap marks figures as unread, so that their values must not be used.
func gap(why string, figures ...string) func(*Case) {
	return func(c *Case) {
		for _, figure := range figures {
			c.Run.Evidence.Gaps = append(c.Run.Evidence.Gaps, record.Gap{What: figure, Why: why})
		}
	}
}

var missingTrials = []trial{
	{"no thermal counters, as in every virtual machine", gap("a virtual machine", "machine.thermal_events"), "", ""},
	{"a figure that is not known is not believed", func(c *Case) {
		gap("no such file", "machine.steal_s")(c)
		c.Run.Evidence.Machine.Steal = 7
	}, "evidence-missing", ""},
	{"the whole of the machine", gap("not this one", "machine"), "evidence-missing",
		"could not be read: machine (not this one); not checked: generator-saturated, memory-pressure, others-cpu, others-io, quota, steal, swapping, thermal"},
	{"one of the neighbours", gap("it is down", "neighbours.nfs"), "evidence-missing",
		"could not be read: neighbours.nfs (it is down); not checked: autovacuum-neighbour, checkpoint-neighbour"},
	{"two, in order", gap("denied", "server.counts.autovacuums", "machine.others_io_bytes"), "evidence-missing",
		"could not be read: machine.others_io_bytes, server.counts.autovacuums (denied); not checked: autovacuum, others-io"},
	{"for two reasons", func(c *Case) {
		gap("denied", "server.counts.autovacuums")(c)
		gap("a virtual machine", "machine.thermal_events", "machine.steal_s")(c)
	}, "evidence-missing", "could not be read: machine.steal_s, machine.thermal_events (a virtual machine), server.counts.autovacuums (denied); not checked: autovacuum, steal, thermal"},
	{"a count that the server does not report", func(c *Case) { delete(c.Run.Evidence.Server.Counts, record.Autovacuums) }, "evidence-missing",
		"could not be read: server.counts.autovacuums (the server does not report it); not checked: autovacuum"},
	{"one that an idle server does not report", func(c *Case) {
		delete(c.Run.Evidence.Neighbours[1].Counts, record.CheckpointsTimed)
		c.Run.Evidence.Neighbours[0].Counts[record.CheckpointsTimed] = 1
	}, "evidence-missing", "could not be read: neighbours.nfs.counts.checkpoints_timed (the server does not report it); not checked: checkpoint-neighbour"},
	{"nothing of the server", func(c *Case) {
		gap("it is down", "server")(c)
		c.Run.Evidence.Server = record.ServerEvidence{}
	}, "evidence-missing", "could not be read: server (it is down); not checked: autovacuum, no-checkpoint-in-load, server-restarted"},
	{"nothing that matters", gap("denied", "machine.user"), "", ""},
	{"checkpoints do not matter to reads", func(c *Case) {
		gap("denied", "server.counts.checkpoints_timed", "server.counts.checkpoints_requested")(c)
		c.Run.Workload = "select-only"
	}, "", ""},
	{"checkpoints matter to writes", func(c *Case) {
		gap("denied", "server.counts.checkpoints_timed", "server.counts.checkpoints_requested")(c)
		c.Run.Evidence.Server.Counts = postgresCounts(0, 0, 0)
	}, "evidence-missing", "not checked: no-checkpoint-in-load"},
}
