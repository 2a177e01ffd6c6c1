package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plinth/internal/unit"
)

// Kubernetes says where a disk is that is a volume in a cluster.
type Kubernetes struct {
	Cluster     string            `json:"cluster"` // as kubectl names it
	Version     string            `json:"version"` // of the API server
	Namespace   string            `json:"namespace"`
	Node        string            `json:"node"`
	Class       string            `json:"class"`
	Provisioner string            `json:"provisioner,omitempty"`
	Parameters  map[string]string `json:"parameters,omitempty"`
	Options     []string          `json:"mount_options,omitempty"`
	Claim       unit.Size         `json:"claim"`
	Image       string            `json:"image"` // of the pod
}

// ClassWords describes the storage class: "slow (plinth.test/directory, path=/mnt)".
func (k Kubernetes) ClassWords() string {
	var facts []string
	if k.Provisioner != "" { // unless the account may not read the class
		facts = append(facts, k.Provisioner)
	}
	for _, name := range slices.Sorted(maps.Keys(k.Parameters)) {
		facts = append(facts, name+"="+k.Parameters[name])
	}
	if len(k.Options) > 0 {
		facts = append(facts, "mounted "+strings.Join(k.Options, ","))
	}
	if facts == nil {
		return k.Class
	}
	return fmt.Sprintf("%s (%s)", k.Class, strings.Join(facts, ", "))
}

// Place adds to a result, and to its model, where in a cluster the disk is.
func (r *Result) Place(k Kubernetes) {
	r.Kubernetes = &k
	if r.Device != nil {
		r.Device.Source = sourceWords(fmt.Sprintf("a volume of %s of the storage class %s, %s", k.Claim, k.ClassWords(), r.Target.words()))
		r.Device.Measured = r.measuredWords() + fmt.Sprintf(", node %s of Kubernetes %s", k.Node, k.Version)
	}
}
