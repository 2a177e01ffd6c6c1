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

// Edited says whether the experiment or the plan is no longer what it was when one
// of the runs began.
func (r *Record) Edited() bool {
	declared := DeclaredFingerprint(r.ExperimentYAML, r.Summary.Plan)
	return slices.ContainsFunc(r.Runs, func(run Run) bool { return run.Declared != "" && run.Declared != declared })
}
