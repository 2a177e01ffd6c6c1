package device

// Kind is what a request wants.
type Kind int

// The kinds of requests. A flush empties the write cache, and takes no time where
// there is none.
const (
	Read Kind = iota
	Write
	Flush
)

// String is the name of the kind, in lower case.
func (k Kind) String() string {
	switch k {
	case Read:
		return "read"
	case Write:
		return "write"
	}
	return "flush"
}

// Request is one request to a device: where, and how many bytes. A flush has
// neither.
type Request struct {
	Kind         Kind
	Offset, Size int64
}

// Balances is how full the buckets of bursts are, from 0 to 1; NaN where there is
// no burst. An array tells of its emptiest member.
type Balances struct {
	IOPS, Throughput float64
}

// Used is what was let through until now, as limits count it: a long request is
// several operations, a mirrored write two.
type Used struct {
	Operations, Bytes float64
}
