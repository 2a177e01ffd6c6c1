package demand

import (
	"math"
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestThink: what scripts sleep counts with their shares; what is late is no sleep; conditions and nonsense are refused.
func TestThink(t *testing.T) {
	for name, tc := range map[string]struct {
		statements []record.StatementMean
		want       float64 // ms
		err        string
	}{
		"none":        {statements: []record.StatementMean{{Statement: "SELECT 1;", Mean: 5e6}, {}}},
		"constant":    {statements: []record.StatementMean{{Script: "a", Statement: `\sleep 4 ms`, Mean: 4.4e6}}, want: 3},
		"capitals":    {statements: []record.StatementMean{{Script: "b", Statement: `\SLEEP 4000us`, Mean: 4.4e6}}, want: 1},
		"microsecond": {statements: []record.StatementMean{{Script: "b", Statement: ` \sleep 4000 us`, Mean: 4.4e6}}, want: 1},
		"variable":    {statements: []record.StatementMean{{Script: "b", Statement: `\sleep :x ms`, Mean: 4.4e6}}, want: 1.1},
		"shorter":     {statements: []record.StatementMean{{Script: "b", Statement: `\sleep 1`, Mean: 8e6}}, want: 2},
		"both":        {statements: []record.StatementMean{{Script: "a", Statement: `\sleep 4 ms`, Mean: 4e6}, {Script: "b", Statement: `\sleep 8 ms`, Mean: 8e6}}, want: 5},
		"unlikely":    {statements: []record.StatementMean{{Script: "b", Statement: `\sleep :x`, Mean: -8e6}}},
		"condition":   {statements: []record.StatementMean{{Script: "a", Statement: `\if :x > 3`}, {Script: "a", Statement: `\sleep 4 ms`, Mean: 4e6}}, err: "after a condition"},
		"apart":       {statements: []record.StatementMean{{Script: "a", Statement: `\if :x > 3`}, {Script: "b", Statement: `\sleep 4 ms`, Mean: 4e6}}, want: 1},
		"impossible":  {statements: []record.StatementMean{{Script: "a", Statement: `\sleep 90 ms`, Mean: 9e7}}, err: "one of the two is wrong"},
	} {
		run := &record.Run{}
		run.Result = record.Result{Statements: tc.statements, Scripts: []record.ScriptResult{{Name: "a", Transactions: 300}, {Name: "b", Transactions: 100}}}
		run.Result.Latency.Mean = 20e6
		got, err := think(run)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v, want %q", name, err, tc.err)
			}
			continue
		}
		if err != nil || math.Abs(1e3*got-tc.want) > 1e-9 {
			t.Errorf("%s: %v ms, %v; want %v", name, 1e3*got, err, tc.want)
		}
	}
}
