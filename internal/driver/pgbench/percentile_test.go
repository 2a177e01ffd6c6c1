package pgbench

import (
	"fmt"
	"io"
	"testing"

	"plinth/internal/driver/latency"
)

// TestPercentilesOfASecond checks the percentiles of a second with few and with many
// transactions, of one script and of several. 98 of 100 take 1 ms, the others 50 ms.
func TestPercentilesOfASecond(t *testing.T) {
	t.Parallel()
	for _, scripts := range []int{1, 2} {
		for _, perSecond := range []int{100, fewLatencies - 1, fewLatencies, 3 * fewLatencies} {
			t.Run(fmt.Sprintf("%d scripts, %d", scripts, perSecond), func(t *testing.T) {
				s := &stream{}
				p := newPage([]string{"a", "b"}[:scripts], 0, false, latency.NewLog(io.Discard))
				l := newLedger(window{}, 0, []*stream{s}, p, t.TempDir())
				var log []byte
				for i := range 3 * perSecond {
					micros := 1000
					if i%100 >= 98 {
						micros = 50_000
					}
					end := int64(epoch) + int64(i)*micro/int64(perSecond)
					log = fmt.Appendf(log, "0 1 %d %d %d %d\n", micros, i%scripts, end/micro, end%micro)
				}
				if _, err := l.add(s, log); err != nil {
					t.Fatal(err)
				}
				if err := l.finish(s); err != nil {
					t.Fatal(err)
				}
				if _, err := l.closeWindow(false); err != nil {
					t.Fatal(err)
				}
				near := func(name string, want float64) {
					for _, c := range p.cols.points.Columns {
						if c.Name != name {
							continue
						}
						for i, got := range c.Values[:2] {
							if got < want*0.999 || got > want*1.001 {
								t.Errorf("second %d: %s is %v, want %v", i, name, got, want)
							}
						}
						return
					}
					t.Errorf("there is no column %s", name)
				}
				near("latency_p50_ns", 1e6)
				near("latency_p95_ns", 1e6)
				near("latency_p99_ns", 50e6)
				near("latency_max_ns", 50e6)
				if scripts > 1 {
					near("script.a.latency_p50_ns", 1e6)
				}
			})
		}
	}
}
