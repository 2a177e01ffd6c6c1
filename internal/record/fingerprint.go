package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Fingerprint is the SHA-256 of data in hexadecimal: it tells whether an
// experiment file is still the one that a record was made with.
func Fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// DeclaredFingerprint is the fingerprint of what was declared before the first
// run: the experiment and, where environments are compared, how that is decided.
func DeclaredFingerprint(experimentYAML []byte, plan *Plan) string {
	text := slices.Clone(experimentYAML)
	if plan != nil {
		declared, _ := json.Marshal(plan) // numbers and words: always possible
		text = append(text, declared...)
	}
	return Fingerprint(text)
}
