package knob

import "testing"

func BenchmarkResolve(b *testing.B) {
	for b.Loop() {
		if _, err := Resolve("", Key{Knob: "read_ahead_kb", On: "data"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnknown(b *testing.B) {
	for b.Loop() {
		if _, err := Resolve("", Key{Knob: "vm.swapiness"}); err == nil {
			b.Fatal("it is known")
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	k, _ := Parameter(postgres, "shared_buffers")
	for b.Loop() {
		if _, err := k.Canonical("0.125GB"); err != nil {
			b.Fatal(err)
		}
	}
}
