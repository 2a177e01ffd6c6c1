package builtin

import "testing"

// The cost of listing all experiments, and of loading the largest one.
func BenchmarkBuiltins(b *testing.B) {
	for b.Loop() {
		All()
	}
}

func BenchmarkLoadAblation(b *testing.B) {
	for b.Loop() {
		if _, _, err := Load("tuning-ablation", nil); err != nil {
			b.Fatal(err)
		}
	}
}
