package pgbench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// contradictions compares the numbers of an output with each other. Each check returns the arithmetic,
// or "" if the numbers agree or are not there.
func contradictions(r *output, run *capture.Run) (notes []record.Note) {
	for _, check := range []func(*output, *capture.Run) string{
		littlesLaw, measuredTime, moreThanPlanned, failureKinds, sharesOfTotal, sharesOfScripts, scriptCounts,
		progressCount, progressLatency, lagWithinLatency, maximumLag, rateOrder, statementsWithinLatency,
	} {
		if text := check(r, run); text != "" {
			notes = append(notes, record.Note{Rule: capture.Contradiction, Text: text})
		}
	}
	return notes
}

// tolerance is by how much two statements of the same quantity may differ: the ramp-up, and
// transactions that end after the duration.
const tolerance = 0.10

// littlesLaw compares the latency with clients / TPS: each client runs one transaction after the other.
// The latency cannot be longer. It can be shorter, because a thread of pgbench lets its clients wait
// when it is busy (with 50 clients of one thread by a fifth), or because with -t some clients end before
// the others, but not by so much. With -R, a transaction waits for its time; with -C, it connects. Failed
// transactions take time and are in neither number. Before 14, the time for connecting is a part of a
// latency that pgbench computes from the TPS.
func littlesLaw(r *output, run *capture.Run) string {
	latency, tps := run.Result.Latency.Mean/1e6, run.Result.TPS
	if run.Clients == 0 || latency == 0 || tps == 0 || run.Reconnect || run.Result.Loop == "open" || r.messages.broken() {
		return ""
	}
	share, least := float64(run.Clients)/tps*1e3, 0.5
	most := share
	if including := r.total.numbers["tps_including"]; including > 0 {
		most = max(most, float64(run.Clients)/including*1e3)
	}
	if _, planned := r.total.numbers["planned"]; planned {
		least = 0.25
	}
	idle := run.Result.Failures > 0 || run.Result.Skipped > 0 || run.Result.Transactions > 0 && run.Result.Transactions < 10*int64(run.Clients)
	if latency <= most*(1+tolerance)+0.001 && (idle || latency >= share*least-0.001) {
		return ""
	}
	return fmt.Sprintf("%s clients / %s TPS = %s ms, but the latency average is %s ms",
		grouped(float64(run.Clients), 0), grouped(tps, 1), grouped(share, 2), grouped(latency, 3))
}

// measuredTime compares transactions / TPS with the argument of -T. The timer starts before the
// clients connect, and the slowest transaction ends after it.
func measuredTime(r *output, run *capture.Run) string {
	n := r.total.numbers
	duration, tps, processed := n["duration"], run.Result.TPS, n["processed"]
	if duration == 0 || tps == 0 || processed == 0 || r.messages.broken() {
		return ""
	}
	measured := processed / tps
	least := duration*(1-tolerance) - n["connecting_ms"]/1e3
	if including, ok := n["tps_including"]; ok {
		least -= max(processed/including-measured, 0)
	}
	most := duration*(1+tolerance) + (n["latency_ms"]+20*n["stddev_ms"])/1e3
	if _, ok := n["stddev_ms"]; !ok {
		most += duration / 2
	}
	if measured >= least && measured <= most {
		return ""
	}
	return fmt.Sprintf("%s transactions / %s TPS = %s s, but the duration is %s s",
		grouped(processed, 0), grouped(tps, 1), grouped(measured, 1), grouped(duration, 0))
}

func moreThanPlanned(r *output, run *capture.Run) string {
	n := r.total.numbers
	planned, ok := n["planned"]
	if !ok {
		return ""
	}
	if n["processed"]+n["failed"]+n["skipped"] > planned {
		return fmt.Sprintf("%s transactions were processed, %s failed and %s were skipped, of %s",
			grouped(n["processed"], 0), grouped(n["failed"], 0), grouped(n["skipped"], 0), grouped(planned, 0))
	}
	each, _ := number(r.total.words["each"])
	if each > 0 && run.Clients > 0 && each*float64(run.Clients) != planned {
		return fmt.Sprintf("%s clients x %s transactions = %s, but %s were planned",
			grouped(float64(run.Clients), 0), grouped(each, 0), grouped(each*float64(run.Clients), 0), grouped(planned, 0))
	}
	return ""
}

func failureKinds(r *output, _ *capture.Run) string {
	n := r.total.numbers
	_, detailed := n["serialization"]
	if !detailed || n["serialization"]+n["deadlock"] <= n["failed"] {
		return ""
	}
	return fmt.Sprintf("%s serialization failures + %s deadlock failures are more than %s failed transactions",
		grouped(n["serialization"], 0), grouped(n["deadlock"], 0), grouped(n["failed"], 0))
}

func sharesOfTotal(r *output, _ *capture.Run) string { return percentages(r.total.numbers, "") }

func sharesOfScripts(r *output, _ *capture.Run) string {
	for _, one := range r.scripts {
		n := map[string]float64{"processed": float64(one.ended())}
		for name, value := range one.numbers {
			n[name] = value
		}
		if text := percentages(n, "script "+workload(one.words["name"])+": "); text != "" {
			return text
		}
	}
	return ""
}

// percentages checks the percentages behind counts. Of how many transactions they are depends on the
// version: those that succeeded, with or without failed and skipped ones.
func percentages(n map[string]float64, prefix string) string {
	if n["processed"] == 0 {
		return ""
	}
	bases := []float64{n["processed"], n["processed"] + n["failed"], n["processed"] + n["skipped"], n["processed"] + n["failed"] + n["skipped"]}
	for _, c := range []struct{ name, label string }{
		{"failed", "failed transactions"}, {"serialization", "serialization failures"}, {"deadlock", "deadlock failures"},
		{"retried", "transactions retried"}, {"skipped", "transactions skipped"}, {"late", "transactions above the latency limit"},
	} {
		percent, ok := n[c.name+"_percent"]
		if !ok || math.IsNaN(percent) {
			continue
		}
		agrees := func(base float64) bool { return math.Abs(100*n[c.name]/base-percent) <= 0.0011+0.001*percent }
		if !slices.ContainsFunc(bases, agrees) {
			return fmt.Sprintf("%s%s %s of %s transactions are %s%%, not %s%%", prefix,
				grouped(n[c.name], 0), c.label, grouped(bases[3], 0), grouped(100*n[c.name]/bases[3], 3), grouped(percent, 3))
		}
	}
	return ""
}

// lostOfScript is the share that pgbench's counts of scripts may lack: its threads add to them without a
// lock (processXactStats).
const lostOfScript = 0.05

func scriptCounts(r *output, _ *capture.Run) string {
	total, sum, percent, all := r.total.numbers["processed"], 0.0, 0.0, true
	for _, one := range r.scripts {
		share, ok := one.numbers["share_percent"]
		all = all && ok
		sum += float64(one.ended())
		percent += share
	}
	if len(r.scripts) < 2 || !all || total == 0 {
		return ""
	}
	if sum > total*1.001+1 || sum < total*(1-lostOfScript)-1 {
		return fmt.Sprintf("the scripts have %s transactions together, but %s were processed", grouped(sum, 0), grouped(total, 0))
	}
	if math.Abs(percent-100) > 100*lostOfScript+0.1*float64(len(r.scripts)) {
		return fmt.Sprintf("the scripts' shares are %s%% together", grouped(percent, 1))
	}
	return ""
}

// lagWithinLatency: with -R, the latency counts from when a transaction was due, so it has the lag.
func lagWithinLatency(r *output, _ *capture.Run) string {
	n := r.total.numbers
	if n["latency_ms"] == 0 || n["lag_ms"] <= n["latency_ms"]+0.001 {
		return ""
	}
	return fmt.Sprintf("the average schedule lag of %s ms is a part of the latency, but the latency average is %s ms",
		grouped(n["lag_ms"], 3), grouped(n["latency_ms"], 3))
}

func maximumLag(r *output, _ *capture.Run) string {
	n := r.total.numbers
	if n["lag_ms"] <= n["lag_max_ms"]+0.001 {
		return ""
	}
	return fmt.Sprintf("the average schedule lag, %s ms, is above the maximum, %s ms", grouped(n["lag_ms"], 3), grouped(n["lag_max_ms"], 3))
}

func rateOrder(r *output, _ *capture.Run) string {
	n := r.total.numbers
	excluding, ok := n["tps_excluding"]
	if !ok || n["tps_including"] <= excluding*(1+1e-6) {
		return ""
	}
	return fmt.Sprintf("%s TPS including connections establishing are more than %s excluding them", grouped(n["tps_including"], 3), grouped(excluding, 3))
}

// statementsWithinLatency: the statements of a script run one after the other, unless \if skips some.
func statementsWithinLatency(r *output, run *capture.Run) string {
	sum, latency := 0.0, run.Result.Latency.Mean
	for _, s := range r.statements {
		if s.script > 0 || s.file > 0 || strings.HasPrefix(s.text, `\if`) {
			return ""
		}
		sum += s.mean
	}
	if latency == 0 || sum <= latency*(1+tolerance)+1e3*float64(len(r.statements)) || run.Result.Retries > 0 || len(run.Result.Scripts) > 0 {
		return ""
	}
	return fmt.Sprintf("the statements take %s ms together, but the latency average is %s ms", grouped(sum/1e6, 3), grouped(latency/1e6, 3))
}

// grouped formats a number for a message: with commas between groups of digits, and at most so many
// decimals.
func grouped(value float64, decimals int) string {
	scale := math.Pow10(decimals)
	text := strconv.FormatFloat(math.Round(value*scale)/scale, 'f', -1, 64)
	whole, rest, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return whole
}
