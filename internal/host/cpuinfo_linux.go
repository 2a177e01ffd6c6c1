package host

import "strings"

// parseCPUModel is the processor's name from /proc/cpuinfo, whose keys differ by
// architecture. arm64 names no model, so that implementer and part stand for it:
// "ARM 0x41 part 0xd0c" is a Neoverse N1.
func parseCPUModel(cpuinfo string) string {
	values := map[string]string{}
	for line := range strings.Lines(cpuinfo) {
		key, value, found := strings.Cut(line, ":")
		key = strings.TrimSpace(key)
		if _, known := values[key]; found && !known {
			values[key] = strings.TrimSpace(value)
		}
	}
	// x86; s390 and old arm; power; 32-bit arm boards; riscv.
	for _, key := range []string{"model name", "Processor", "cpu", "Hardware", "uarch"} {
		if values[key] != "" {
			return values[key]
		}
	}
	if part := values["CPU part"]; part != "" {
		return "ARM " + values["CPU implementer"] + " part " + part
	}
	return ""
}
