package host

import "testing"

func BenchmarkReadConditions(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadConditions(); err != nil {
			b.Fatal(err)
		}
	}
}
