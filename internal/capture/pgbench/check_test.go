package pgbench

import (
	"strings"
	"testing"
)

// TestContradictions changes one number of a fixture.
func TestContradictions(t *testing.T) {
	for _, c := range []struct{ name, fixture, from, to, want string }{
		{"the latency is too short", "18-closed.txt", "latency average = 1.684", "latency average = 0.184",
			"4 clients / 2,368.1 TPS = 1.69 ms, but the latency average is 0.184 ms\nthe mean latency of the progress is 1.683 ms, but the latency average is 0.184 ms\nthe statements take 1.685 ms together, but the latency average is 0.184 ms"},
		{"the latency is too long", "15-partitions.txt", "latency average = 0.540", "latency average = 5.400",
			"2 clients / 3,701.2 TPS = 0.54 ms, but the latency average is 5.4 ms"},
		{"another duration", "written-9.2.txt", "duration: 60 s", "duration: 600 s",
			"1,203,456 transactions / 20,061.9 TPS = 60 s, but the duration is 600 s"},
		{"more than planned", "written-9.4-transactions.txt", "1000/1000", "1200/1000",
			"1,200 transactions were processed, 0 failed and 0 were skipped, of 1,000"},
		{"another plan", "written-9.4-transactions.txt", "number of clients: 10", "number of clients: 20",
			"20 clients x 100 transactions = 2,000, but 1,000 were planned"},
		{"percentage", "16-mix.txt", "number of transactions skipped: 18 (2.095%)", "number of transactions skipped: 18 (20.950%)",
			"18 transactions skipped of 859 transactions are 2.095%, not 20.95%"},
		{"percentage of a script", "16-mix.txt", " - number of transactions retried: 23 (", " - number of transactions retried: 93 (",
			"script ser.sql: 93 transactions retried of 217 transactions are 42.857%, not 10.599%"},
		{"kinds of failures", "15-detailed.txt", "serialization failures: 2947 (77.655%)", "serialization failures: 3795 (100.000%)",
			"3,795 serialization failures + 0 deadlock failures are more than 2,947 failed transactions"},
		{"scripts", "16-mix.txt", " - 632 transactions (75.1%", " - 332 transactions (75.1%",
			"script slow.sql: 10 transactions skipped of 342 transactions are 2.924%, not 1.558%\nthe scripts have 541 transactions together, but 841 were processed"},
		{"progress of another run", "15-closed.txt", "progress: 2.0 s, 4532.9 tps", "progress: 2.0 s, 9532.9 tps",
			"the progress has 20,446 transactions in 3 s, but the summary has 15,452"},
		{"lag", "18-mix.txt", "schedule lag: avg 4.264", "schedule lag: avg 24.264",
			"the average schedule lag of 24.264 ms is a part of the latency, but the latency average is 14.311 ms\nthe average schedule lag, 24.264 ms, is above the maximum, 19.725 ms"},
		{"order of the TPS", "written-9.2.txt", "20056.812345", "20156.812345",
			"20,156.812 TPS including connections establishing are more than 20,061.901 excluding them"},
	} {
		text := fixture(t, c.fixture)
		if strings.Count(text, c.from) != 1 {
			t.Errorf("%s: %q is in %s %d times", c.name, c.from, c.fixture, strings.Count(text, c.from))
			continue
		}
		got := read(t, strings.Replace(text, c.from, c.to, 1))
		notes := texts(got.Sections[0].Found.Notes)
		if notes != "import-contradiction: "+strings.ReplaceAll(c.want, "\n", "\nimport-contradiction: ") {
			t.Errorf("%s: notes\n%s, want\n%s", c.name, notes, c.want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for _, c := range []struct {
		value    float64
		decimals int
		want     string
	}{{0, 0, "0"}, {999, 0, "999"}, {1000, 0, "1,000"}, {9529.63, 1, "9,529.6"}, {1234567.5, 3, "1,234,567.5"}, {-123456, 0, "-123,456"}, {12.3456, 2, "12.35"}} {
		if got := grouped(c.value, c.decimals); got != c.want {
			t.Errorf("grouped(%v, %d) = %q, want %q", c.value, c.decimals, got, c.want)
		}
	}
}
