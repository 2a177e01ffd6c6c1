package environment

import (
	"fmt"
	"maps"
	"slices"

	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// kubernetesProperties describes a server on Kubernetes. Names that plinth chooses are no difference
// between environments.
func kubernetesProperties(k *record.Kubernetes) []property {
	if k == nil {
		return nil
	}
	all := []property{
		{"Kubernetes", k.Cluster},
		{"operator", k.Operator},
		{"instances", phrase.Exact(float64(k.Instances))},
		{"synchronous replication", synchronousWords(k.Synchronous)},
		{"node", k.Node},
		{"image", k.Image},
		{"quality of service", k.QoS},
	}
	for _, c := range k.Claims {
		all = append(all,
			property{c.Role + " storage class", c.Class},
			property{c.Role + " provisioner", c.Provisioner},
			property{c.Role + " requested size", phrase.Bytes(c.Size)})
		for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
			all = append(all, property{c.Role + " class: " + name, c.Parameters[name]})
		}
	}
	return all
}

// synchronousWords describes synchronous replication: "any 1, required".
func synchronousWords(s *record.Synchronous) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s %d, %s", s.Method, s.Number, s.Durability)
}
