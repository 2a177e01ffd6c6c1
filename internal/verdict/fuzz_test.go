package verdict_test

import (
	"encoding/binary"
	"math"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// FuzzDamagedRuns puts arbitrary numbers into arbitrary runs of a record: there must be no
// crash, and no outcome without data.
func FuzzDamagedRuns(f *testing.F) {
	for _, value := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1000} {
		var one []byte
		for i := range 40 {
			one = binary.LittleEndian.AppendUint64(append(one, byte(i)), math.Float64bits(value))
		}
		f.Add(one, 6)
	}
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, data []byte, repeats int) {
		rec := made(t, file("clients: [1, 2]", three), func(run *record.Run) { run.Result.TPS *= noise(run, 0.05) })
		for len(data) >= 9 {
			damage(&rec.Runs[int(data[0])%len(rec.Runs)], data[0]/7, binary.LittleEndian.Uint64(data[1:9]))
			data = data[9:]
		}
		until(rec, repeats)
		for _, options := range []verdict.Options{{}, {Metrics: []string{"latency", "p50", "p99.9", "failures"}}, {Environments: []string{"nfs", "disk"}, ByClients: true}} {
			c, err := verdict.Of(rec, options)
			if err != nil {
				t.Fatal(err)
			}
			sane(t, c)
		}
	})
}

// damage writes bits into one of the fields of a run.
func damage(run *record.Run, field byte, bits uint64) {
	value, count := math.Float64frombits(bits), int64(bits)
	switch field % 10 {
	case 0, 1:
		run.Result.TPS = value
	case 2:
		run.Result.Latency.Mean = value
	case 3:
		run.Result.Latency.P50 = count
	case 4:
		run.Result.Latency.P99 = count
	case 5:
		run.Result.Latency.P999 = count
	case 6:
		run.Result.Transactions = count
	case 7:
		run.Result.Failures = count
	case 8:
		run.Status = []record.Status{record.Valid, record.Invalid, record.Failed, "odd"}[bits%4]
	case 9:
		run.Attempt, run.Number = int(bits%3), int(count)
	}
}
