package txlog

import (
	"strings"
	"testing"
)

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		name, line string
		form       Form
		want       Entry
	}{
		{"plain", "0 199 2241 0 1175850568 995598", Form{}, Entry{Number: 199, End: 1175850568995598, Micros: 2241}},
		{"unpadded microseconds", "0 1 5 0 1175850568 7", Form{}, Entry{Number: 1, End: 1175850568000007, Micros: 5}},
		{"second script", "12 3 5 1 1 0", Form{}, Entry{Client: 12, Number: 3, End: 1e6, Micros: 5, Script: 1}},
		{"rate", "0 81 4621 0 1412881037 912698 3005", Form{Lag: true}, Entry{Number: 81, End: 1412881037912698, Micros: 4621, Lag: 3005}},
		{"skipped", "0 83 skipped 0 1412881037 914578 5217", Form{Lag: true}, Entry{Number: 83, End: 1412881037914578, Lag: 5217, Outcome: Skipped}},
		{"retries", "3 0 47423 0 1499414498 34501 3", Form{Retries: true}, Entry{Client: 3, Number: 0, End: 1499414498034501, Micros: 47423, Retries: 3}},
		{"rate and retries", "3 0 47423 0 1499414498 34501 12 3", Form{Lag: true, Retries: true}, Entry{Client: 3, Number: 0, End: 1499414498034501, Micros: 47423, Lag: 12, Retries: 3}},
		{"failed", "3 1 failed 0 1499414498 84905 9", Form{Retries: true}, Entry{Client: 3, Number: 1, End: 1499414498084905, Retries: 9, Outcome: Failed}},
		{"serialization", "2 1 serialization 0 1499414498 84905 9", Form{Retries: true}, Entry{Client: 2, Number: 1, End: 1499414498084905, Retries: 9, Outcome: Failed}},
		{"deadlock", "2 1 deadlock 0 1499414498 84905 9", Form{Retries: true}, Entry{Client: 2, Number: 1, End: 1499414498084905, Retries: 9, Outcome: Failed}},
		{"clock set back", "0 1 -52 0 10 0 -7", Form{Lag: true}, Entry{Number: 1, End: 10e6, Micros: -52, Lag: -7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Entry{Client: 1, Micros: 1, Lag: 1, Retries: 1, Script: 1, Outcome: Failed} // of the previous line
			if !c.form.Parse([]byte(c.line), &got) || got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseLineRefuses(t *testing.T) {
	for _, c := range []struct {
		line string
		form Form
	}{
		{"", Form{}},
		{" ", Form{}},
		{"0 1 5 0 10", Form{}},
		{"0 1 5 0 10 0 ", Form{}},
		{"0 1 5 0 10 0 3", Form{}},
		{"0 1 5 0 10 0", Form{Lag: true}},
		{"0 1 5 0 10 0 1", Form{Lag: true, Retries: true}},
		{"0 1 5 0 10 0\r", Form{}},
		{"0  1 5 0 10 0", Form{}},
		{"0 1 oops 0 10 0", Form{}},
		{"0 1 - 0 10 0", Form{}},
		{"0 1 5", Form{}},
		{"0 1 5 999 10 0", Form{}},
		{"0 1 5 0 10 1000000", Form{}},
		{"0 1 5 0 9999999999999 0", Form{}},
		{"99999999999999999999 1 5 0 10 0", Form{}},
		{"0 1 " + strings.Repeat("9", 400) + " 0 10 0", Form{}},
		{"0 1 5 0 10 0 4294967295 x", Form{Retries: true}},
	} {
		if c.form.Parse([]byte(c.line), new(Entry)) {
			t.Errorf("%q was accepted", c.line)
		}
	}
}
