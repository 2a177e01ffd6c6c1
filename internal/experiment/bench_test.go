package experiment

import "testing"

// What a list of all experiments takes, and the largest one of them.
func BenchmarkBuiltins(b *testing.B) {
	for b.Loop() {
		Builtins()
	}
}

func BenchmarkLoadAblation(b *testing.B) {
	for b.Loop() {
		if _, _, err := LoadBuiltin("tuning-ablation", nil); err != nil {
			b.Fatal(err)
		}
	}
}
