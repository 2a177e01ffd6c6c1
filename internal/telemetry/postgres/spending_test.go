package postgres

import (
	"math"
	"strings"
	"testing"
	"time"

	"plinth/internal/telemetry"
)

const ms = time.Millisecond

// spend simulates some seconds, of one round and ten samples each.
func spend(s *spending, seconds int, round, sample time.Duration, cpu func(took time.Duration) (time.Duration, bool)) {
	for range seconds {
		s.round(round)
		for range 10 {
			s.sample(sample)
		}
		s.seen(cpu(round + 10*sample))
	}
}

func unknown(time.Duration) (time.Duration, bool) { return 0, false }

func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		round, sample time.Duration
		short         time.Duration // of one sample a second
		share         float64       // CPU time as a share of the response time; 0 where unknown
		want          time.Duration
		told          string
	}{
		"cheap":             {round: ms, sample: ms / 2, want: 100 * ms},
		"dear by time":      {round: 2 * ms, sample: 2 * ms, want: 300 * ms, told: "4.0 times a second instead of 10, to keep the server's cost below 1 % of a core"},
		"one is short":      {round: 2 * ms, sample: 20 * ms, short: ms, want: 200 * ms, told: "instead of 10"},
		"but not by CPU":    {round: 2 * ms, sample: 2 * ms, share: 0.3, want: 100 * ms},
		"dear by CPU":       {round: 4 * ms, sample: 4 * ms, share: 0.5, want: 300 * ms, told: "4.0 times a second"},
		"no budget is left": {round: 20 * ms, sample: ms, want: seldom, told: "instead of 10"},
		"far too dear":      {round: ms, sample: 50 * ms, want: seldom, told: "instead of 10"},
	} {
		s := &spending{}
		cpu := unknown
		if c.share > 0 {
			used := time.Duration(0)
			cpu = func(took time.Duration) (time.Duration, bool) {
				used += time.Duration(float64(took) * c.share)
				return used, true
			}
		}
		s.begin(0, c.share > 0)
		spend(s, 20, 40*ms, 10*ms, func(time.Duration) (time.Duration, bool) { return 0, false }) // forgotten over time
		s.held = false
		for range 60 {
			s.held = false
			if c.short > 0 {
				s.sample(c.short)
			}
			spend(s, 1, c.round, c.sample, cpu)
		}
		if got := s.pace(); (got - c.want).Abs() > ms {
			t.Errorf("%s: every %v, want %v", name, got, c.want)
		}
		told := s.note(40, 10*time.Second)
		if (told == "") != (c.told == "") || !strings.Contains(told, c.told) {
			t.Errorf("%s: %q", name, told)
		}
		if s.known != (c.share > 0) {
			t.Errorf("%s: known is %v", name, s.known)
		}
	}
}

// TestSpent checks that the use of all server processes is added up, the start of each
// included.
func TestSpent(t *testing.T) {
	s := &spending{}
	s.begin(20*ms, true)
	s.seen(30*ms, true)
	s.seen(35*ms, true)
	s.over()
	s.begin(15*ms, true)
	s.seen(16*ms, true)
	s.seen(1*ms, true) // another process: its use is unknown
	if s.total != 51*ms {
		t.Errorf("%v in all", s.total)
	}
	if told := s.note(0, 0); told != "" {
		t.Errorf("%q", told)
	}
}

// TestDearTables checks that tables which always cost too much are no longer summed; a
// single expensive reading does not matter.
func TestDearTables(t *testing.T) {
	for name, c := range map[string]struct {
		took [6]string
		dear bool
	}{
		"always":      {[6]string{"37.5", "21", "12.25", "30", "18", "18"}, true},
		"mostly":      {[6]string{"37.5", "21", "2.25", "30", "18", "18"}, false},
		"cheap":       {[6]string{"1", "1", "1", "1", "1", "100"}, false},
		"at the edge": {[6]string{"5", "5", "5", "5", "5", "6"}, false},
	} {
		q := newTables()
		if _, err := q.sql(15); err != nil {
			t.Fatal(err)
		}
		b := telemetry.NewBoard(q.name())
		var err error
		for _, took := range c.took {
			b.Begin(time.Now())
			a := &answer{}
			a.rows.add([][]byte{nil, []byte("1"), []byte("2"), []byte("3"), []byte("4"), []byte("5"), []byte("6"), []byte(took)})
			err = q.put(b, a)
			b.End(time.Now(), err)
		}
		if (err != nil) != c.dear {
			t.Errorf("%s: %v", name, err)
		}
		if _, again := q.sql(15); (again != nil) != c.dear || c.dear && !strings.Contains(again.Error(), "takes the server 12.2 ms") {
			t.Errorf("%s: asked again: %v", name, again)
		}
	}
}

func TestTable(t *testing.T) {
	var all table
	for range 2 { // its memory is reused
		all.clear()
		if all.count() != 0 {
			t.Error("it is not empty")
		}
		all.add([][]byte{[]byte("12"), nil, []byte("-1.5"), []byte("123456789012345678"), []byte("x"), {}})
		all.add([][]byte{[]byte("0"), []byte("a"), []byte("NaN"), []byte("1e3"), []byte("+7"), []byte("9223372036854775808")})
		if all.count() != 2 || string(all.text(1, 1)) != "a" || len(all.text(0, 1)) != 0 {
			t.Errorf("%+v", all)
		}
		for i, want := range []float64{12, math.NaN(), -1.5, 123456789012345678, math.NaN(), math.NaN(), 0, math.NaN(), math.NaN(), 1000, 7, 9223372036854775808} {
			if got := all.number(i/6, i%6); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%d: %v, want %v", i, got, want)
			}
		}
	}
}
