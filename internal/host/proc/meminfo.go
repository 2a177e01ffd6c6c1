package proc

import "strings"

// Meminfo returns the figures of /proc/meminfo (proc_meminfo(5)), or of a node's meminfo, whose
// lines begin with "Node 0": bytes, or counts without a unit. It skips other values.
func Meminfo(text string) map[string]int64 {
	figures := map[string]int64{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[0] == "Node" {
			fields = fields[2:]
		}
		if len(fields) < 2 {
			continue
		}
		n, known := Number([]byte(fields[1]))
		if !known || n >= 1<<53 {
			continue
		}
		if len(fields) > 2 && fields[2] == "kB" {
			n <<= 10
		}
		figures[strings.TrimSuffix(fields[0], ":")] = int64(n)
	}
	return figures
}

// Swap is a line of /proc/swaps (proc_swaps(5)).
type Swap struct {
	Path       string // as it is written: Unescape decodes it
	Type       string // "partition", "file"
	Size, Used int64  // bytes
}

// Swaps skips the table's header.
func Swaps(text string) (all []Swap) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 5 || !strings.HasPrefix(fields[0], "/") {
			continue
		}
		size, known1 := Number([]byte(fields[2]))
		used, known2 := Number([]byte(fields[3]))
		if known1 && known2 && size < 1<<53 && used < 1<<53 {
			all = append(all, Swap{fields[0], fields[1], int64(size << 10), int64(used << 10)})
		}
	}
	return all
}
