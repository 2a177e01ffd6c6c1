package builtin

import "testing"

// What a list of all experiments takes, and the largest one of them.
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
