package show

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// AddState adds what a reader must know before any number: whether the experiment is complete.
func (s *Numbers) AddState(d *prose.Document, path string) {
	progress := fmt.Sprintf("%d of %s so far", s.Method.Runs, phrase.Plural(s.Record.Planned, "planned run"))
	switch s.Record.State {
	case record.Running:
		d.Add(prose.Paragraph("This experiment is still running: " + progress + "."))
	case record.Interrupted:
		reason := ""
		if s.Record.Reason != "" && s.Record.Reason != "interrupted" {
			reason = " (" + s.Record.Reason + ")"
		}
		d.Add(prose.Paragraph("This experiment was interrupted"+reason+": "+progress+". Complete it with"),
			prose.Command("plinth run --resume "+phrase.ShellWord(path)))
	}
}

// AddEnvironment adds the table of an environment.
func (s *Numbers) AddEnvironment(d *prose.Document, e Environment) {
	title := e.Name
	if e.Server != "" {
		title += " (" + e.Server + ", " + e.Transport + ")"
	}
	d.Add(prose.Heading(title))
	if len(e.Cells) == 0 {
		d.Add(prose.Paragraph("There is no block yet in which every environment has a valid run."))
	} else {
		d.Add(s.ClientsTable(e), prose.Paragraph(phrase.Join(" ", s.threadsNote(e.Rows), s.BlocksNote(e))))
	}
}

// LatencyNote explains the latencies. It stands below the last table with latencies rather than
// in the method, so that no reader misses what they omit.
func (s *Numbers) LatencyNote() string {
	if s.Method.Loop == "open" {
		return "Lat: " + phrase.OpenLoop(s.Words()) + "."
	}
	return "Lat: " + phrase.ClosedLoop + "."
}

// MissingNote lists the cells without a number; "" if all have one.
func (s *Numbers) MissingNote() string {
	if len(s.Missing) == 0 {
		return ""
	}
	var paths []string
	for _, c := range s.Missing {
		paths = append(paths, c.Path())
	}
	return fmt.Sprintf("%s without a valid block, missing from every mean: %s.", phrase.Plural(len(s.Missing), "cell"), phrase.SomeOf(paths))
}

// OverallNote explains the overall mean; "" if none exists.
func (s *Numbers) OverallNote() string {
	if len(s.Workloads) < 2 || s.IsOneLoad() || len(s.columns) > 0 {
		return ""
	}
	note := "Overall is the mean of the workloads' averages."
	if slices.ContainsFunc(s.Workloads, func(w Workload) bool { return w.ReadOnly }) {
		note += " It hides differences in write performance, because read rates are far higher."
	}
	return note
}

// MethodLines describes the measurement: order, length, counts, versions, machine.
func (s *Numbers) MethodLines() prose.List {
	m := s.Method
	order := "environments in random order inside each block"
	if m.Interleave == "repeat" {
		order = "environments in random order inside each repeat"
	}
	if m.Imported != "" {
		return s.importedLines()
	}
	lines := prose.List{
		fmt.Sprintf("%s; cells in random order, %s; seed %d", phrase.Plural(m.Repeats, "repeat"), order, m.Seed),
		fmt.Sprintf("each run: %s of warm-up, then %s measured; %s loop", phrase.Exact(m.Warmup)+" s", s.RunLength(), m.Loop),
		fmt.Sprintf("%s: %d valid, %d invalid, %d failed; dead time between runs: median %s, at most %s",
			phrase.Plural(m.Runs, "run"), s.Record.Counts.Valid, s.Record.Counts.Invalid, s.Record.Counts.Failed,
			phrase.Seconds(m.DeadMedian), phrase.Seconds(m.DeadMax)),
		strings.Join(append([]string{"plinth " + m.Plinth}, append(s.servers(), m.Drivers...)...), "; "),
	}
	if len(m.DrivenFrom) > 0 {
		lines = append(lines, "driven over the network from "+strings.Join(m.DrivenFrom, ", "))
	}
	if m.Machine.CPUModel != "" && len(m.Machines) == 0 {
		lines = append(lines, machineWords(m.Machine))
	}
	for _, at := range slices.Sorted(maps.Keys(m.Machines)) {
		lines = append(lines, record.MachineName(at)+": "+machineWords(m.Machines[at]))
	}
	return lines
}

// importedLines describes the measurement of others as far as it is known.
func (s *Numbers) importedLines() prose.List {
	m := s.Method
	order := map[record.Order]string{
		record.OrderUnknown: "the order of the runs is not known", record.OrderApart: "the environments ran one after the other",
		record.OrderMixed: "the environments neither alternated nor ran one after the other", record.OrderAlternate: "the environments alternated",
	}[m.Imported]
	return prose.List{
		fmt.Sprintf("imported: %s that others measured; %s", phrase.Plural(m.Runs, "run"), order),
		strings.Join(append([]string{"read by plinth " + m.Plinth}, append(s.servers(), m.Drivers...)...), "; "),
	}
}

// machineWords describes a machine in one line.
func machineWords(f host.Facts) string {
	cpus := phrase.Plural(f.CPUs, "CPU")
	if f.CPUModel != "" { // that of a cluster's nodes is not known
		cpus = f.CPUModel + " (" + cpus + ")"
	}
	return fmt.Sprintf("%s, Linux %s, %s, %s of memory", f.OS, f.Kernel, cpus, phrase.Bytes(f.Memory))
}

// RunLength formats the length of each run, in seconds or transactions.
func (s *Numbers) RunLength() string {
	if n := s.Method.Transacted; n > 0 {
		return phrase.Plural(int(n), s.Words().Unit)
	}
	return phrase.Exact(s.Method.Duration) + " s"
}

// servers returns the servers' versions; only one if all are the same.
func (s *Numbers) servers() []string {
	var all []string
	same := true
	for _, e := range s.Environments {
		if e.Server == "" {
			continue
		}
		same = same && e.Server == s.Environments[0].Server
		all = append(all, e.Name+": "+e.Server)
	}
	if same && len(all) == len(s.Environments) && len(all) > 0 {
		return []string{s.Environments[0].Server}
	}
	return all
}
