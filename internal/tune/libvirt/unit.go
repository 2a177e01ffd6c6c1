package libvirt

// units are the spellings that libvirt takes for amounts of memory, in bytes
// ("Domain XML format", memory).
var units = map[string]int64{
	"b": 1, "bytes": 1,
	"": 1 << 10, "k": 1 << 10, "KiB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MiB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GiB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TiB": 1 << 40, "TB": 1e12,
}

// bytesIn is how many bytes are in a unit; KiB is libvirt's where none is told.
func bytesIn(unit string) int64 { return units[unit] }
