package redis

import "math/rand/v2"

// valuesSpread is how far apart the beginnings of values are chosen in the bytes that
// they are cut from.
const valuesSpread = 1 << 20

// values are the contents of keys. They are random bytes, because values that
// compress would make an RDB file, a rewritten append-only file and a full
// synchronisation smaller than the experiment says: rdbcompression (LZF) is on unless
// said. redis-benchmark's own values hardly compress either.
//
// All are cut from one piece, each at another place, so that none takes memory or
// time of its own.
type values struct {
	bytes []byte
	size  int64
}

func newValues(size int64) values {
	v := values{make([]byte, size+valuesSpread), size}
	_, _ = rand.NewChaCha8([32]byte{}).Read(v.bytes) // never fails
	return v
}

// of is the value of a key. It must not be changed.
func (v values) of(number int64) []byte {
	at := number * 7919 % valuesSpread // a prime: neighbours lie far apart
	return v.bytes[at : at+v.size]
}
