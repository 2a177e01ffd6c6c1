package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Fingerprint returns the SHA-256 of data in hexadecimal. It shows whether an experiment file has
// changed since the record was created.
func Fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// DeclaredFingerprint returns the fingerprint of what was declared before the first run: the
// experiment and, where environments are compared, the decision plan.
func DeclaredFingerprint(experimentYAML []byte, plan *Plan) string {
	text := slices.Clone(experimentYAML)
	if plan != nil {
		declared, _ := json.Marshal(plan) // numbers and strings: cannot fail
		text = append(text, declared...)
	}
	return Fingerprint(text)
}

// Edited reports whether the experiment or the plan has changed since any of the runs began.
func (r *Record) Edited() bool {
	declared := DeclaredFingerprint(r.ExperimentYAML, r.Summary.Plan)
	return slices.ContainsFunc(r.Runs, func(run Run) bool { return run.Declared != "" && run.Declared != declared })
}
