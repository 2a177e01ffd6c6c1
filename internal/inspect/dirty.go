package inspect

import "plinth/internal/unit"

var dirtyRules = []rule{
	{
		name: "flush-storm", weight: 55, about: ofMachine, check: flushStorm,
		benchmark:  "a run is fast until the kernel writes it all at once, and slow from then on: in a published pgbench study 10 % of 16 GB, flushed in one go, cost 50 to 70 % of the TPS (the I/O cliff)",
		production: "commits wait for seconds behind the flush",
		do:         "sysctl -w vm.dirty_background_bytes=268435456 vm.dirty_bytes=1073741824; a file in /etc/sysctl.d keeps it",
	},
}

// Less than this a disk of today writes in about a second.
const muchDirty = unit.GiB

// flushStorm says from how much dirty memory on the kernel writes, and from how
// much it makes writers wait. Ratios are of the memory that could be page cache,
// which is about what is available.
// https://docs.kernel.org/admin-guide/sysctl/vm.html#dirty-background-ratio
func flushStorm(in *Input) evidence {
	begins, how := in.dirtyLimit("vm.dirty_background_")
	blocks, _ := in.dirtyLimit("vm.dirty_")
	if begins < int64(muchDirty) || in.inMemory("data") {
		return nothing
	}
	if blocks <= 0 {
		return found("the kernel lets %s become dirty before it writes (%s)", size(begins), how)
	}
	return found("the kernel lets %s become dirty before it writes (%s), and makes writers wait at %s", size(begins), how, size(blocks))
}

// dirtyLimit is a limit in bytes, given as bytes or as a ratio, and how.
func (in *Input) dirtyLimit(prefix string) (bytes int64, how string) {
	if n, known := in.sysctl(prefix + "bytes"); known && n > 0 {
		return n, prefix + "bytes"
	}
	ratio, known := in.sysctl(prefix + "ratio")
	if !known {
		return 0, ""
	}
	return in.Machine.Memory.Available / 100 * ratio, found("%sratio %d", prefix, ratio).text
}

func (in *Input) inMemory(role string) bool {
	p, known := in.place(role)
	return known && p.InMemory
}
