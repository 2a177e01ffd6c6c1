package record

import (
	"crypto/sha256"
	"encoding/hex"
)

// Fingerprint is the SHA-256 of data in hexadecimal: it tells whether an
// experiment file is still the one that a record was made with.
func Fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
