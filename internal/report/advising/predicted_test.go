package advising

import (
	"strings"
	"testing"

	"plinth/internal/advice"
	"plinth/internal/cost"
	"plinth/internal/prediction"
)

// TestPredicted: what a predicted disk might change is said with the experiment that would measure it first.
func TestPredicted(t *testing.T) {
	row := cost.PredictedRow{Workload: "tpcb-like", Month: 95, TPS: prediction.Estimate{Value: 2000, Low: 1500, High: 2500}, Million: prediction.Estimate{Value: 0.5, Low: 0.4, High: 0.6}}
	one := advice.Predicted{Title: "for writes", Name: "writes", Workload: "tpcb-like", Disk: "gp3", Basis: "predicted", From: "io2", Declaration: "{emulate: gp3}", Quantity: "tps", Row: row, Instead: "io2", Measured: 1000, Standing: advice.Better}
	lower, limit, bill := one, one, one
	lower.Title, lower.Quantity, lower.Measured, lower.Standing = "least cost per transaction", "million", 0.55, advice.Perhaps
	limit.Title, limit.Quantity, limit.Instead, limit.Standing, limit.Why = "shortest p99", "p99", "", advice.Perhaps, "its p99 is not predicted"
	bill.Title, bill.Standing, bill.Why = "within $90 a month", advice.NotBetter, "over the budget"
	other := one
	other.Disk, other.Standing = "st1", advice.NotBetter
	a := &advice.Advice{Record: "r", Currency: "USD", Engine: "postgres", Predicted: []advice.Predicted{one, lower, limit, bill, other}, Assumed: []string{"it is warm"}, Refused: []string{"gp3 under own: it waits for a cat"}}
	got := strings.Join(strings.Fields(text(t, "", "text", a)), " ")
	for _, want := range []string{
		"- gp3 (predicted from io2), $95.00 a month: for writes, it would be the better choice: ~2,000 (1,500 to 2,500) TPS, in place of io2 with 1,000; " +
			"least cost per transaction, it may be the better choice: ~$0.500 ($0.400 to $0.600) a million transactions, in place of io2 with $0.550; " +
			"shortest p99, it may be the better choice: a quantity that is not predicted, where no measured environment is known to meet the limits, its p99 is not predicted; " +
			"it would not change: within $90 a month (over the budget). Measure it first: add an environment like io2 with storage: {data: {emulate: gp3}}",
		"- st1 (predicted from io2), $95.00 a month: it would change no answer: for writes",
		"- not predicted: gp3 under own: it waits for a cat", "- it is warm", "no answer rests on them",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(text(t, "", "text", &advice.Advice{}), "redicted") {
		t.Error("a heading without a prediction")
	}
}
