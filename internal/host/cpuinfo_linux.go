package host

import "plinth/internal/host/proc"

// parseCPUModel is the processor's name from /proc/cpuinfo, whose keys differ by
// architecture. arm64 names no model, so that implementer and part stand for it:
// "ARM 0x41 part 0xd0c" is a Neoverse N1.
func parseCPUModel(cpuinfo string) string {
	// x86; s390 and old arm; power; 32-bit arm boards; riscv.
	for _, key := range []string{"model name", "Processor", "cpu", "Hardware", "uarch"} {
		if value := proc.Field(cpuinfo, key); value != "" {
			return value
		}
	}
	if part := proc.Field(cpuinfo, "CPU part"); part != "" {
		return "ARM " + proc.Field(cpuinfo, "CPU implementer") + " part " + part
	}
	return ""
}
