package demand

import (
	"strconv"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// think returns the mean time of a transaction, in seconds, in which the load generator sleeps between statements (pgbench(1),
// \sleep). Scripts of the run count with their shares of the transactions.
func think(run *record.Run) (seconds float64, err error) {
	shares := run.Result.ScriptShares()
	branches := map[string]bool{} // scripts in which not every transaction gets to every statement
	for _, one := range run.Result.Statements {
		fields := strings.Fields(strings.ToLower(one.Statement))
		if len(fields) == 0 {
			continue
		}
		switch fields[0] {
		case `\if`:
			branches[one.Script] = true
		case `\sleep`:
			if branches[one.Script] {
				return 0, hint.Errorf(`leave \if out of the script, or \sleep`, `in %s the script sleeps after a condition (\if), and how many transactions do is not known`, run.Path())
			}
			// The mean includes waiting for a thread of the load generator, which the simulation has.
			slept := one.Mean / 1e9
			if written, known := sleep(strings.Join(fields[1:], "")); known {
				slept = min(slept, written)
			}
			seconds += shares[one.Script] * max(0, slept)
		}
	}
	if mean := run.Result.Latency.Mean / 1e9; seconds > 0 && seconds >= mean {
		return 0, hint.Errorf("plinth show --run shows what was measured", "in %s transactions sleep for %s ms and take %s ms: one of the two is wrong",
			run.Path(), unit.Digits(1e3*seconds, 3), unit.Digits(1e3*mean, 3))
	}
	return seconds, nil
}

// sleep returns how long a \sleep is whose argument is a number and perhaps a unit (s by default); false if it is a variable.
func sleep(argument string) (seconds float64, known bool) {
	if _, err := strconv.ParseUint(argument, 10, 32); err == nil {
		argument += "s"
	}
	d, err := time.ParseDuration(argument)
	return d.Seconds(), err == nil
}
