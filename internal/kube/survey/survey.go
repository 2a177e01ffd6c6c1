// Package survey reports facts about a Kubernetes cluster, and findings: facts that would spoil a
// benchmark there. It only reads. A machine and a database are inspected by package inspect, whose
// findings have the same form.
package survey

import (
	"context"
	"strings"
	"sync"
	"time"

	"plinth/internal/inspect"
	"plinth/internal/kube/cluster"
)

// Schema is the schema of a Survey as JSON.
const Schema = "plinth/inspect-kubernetes/v1"

// Survey holds the facts of a cluster, and the findings about them.
type Survey struct {
	Schema    string            `json:"schema"`
	Taken     time.Time         `json:"taken"`
	Cluster   string            `json:"cluster"` // the context in the kubeconfig
	Version   string            `json:"version"` // of the API server
	Namespace Namespace         `json:"namespace"`
	Nodes     []Node            `json:"nodes"`
	Classes   []Class           `json:"storage_classes"`
	CNPG      CNPG              `json:"cloudnative_pg"`
	Missing   []cluster.Rule    `json:"missing_rights"`
	Findings  []inspect.Finding `json:"findings"`
	Gaps      []inspect.Gap     `json:"gaps"`
	WouldAdd  []cluster.Rule    `json:"rights_that_would_add"`

	classesKnown bool // they could be listed
}

// Look reads the facts of a cluster, and those that concern its namespace. What cannot be read is a gap.
func Look(ctx context.Context, c *cluster.Cluster) (*Survey, error) {
	s := &Survey{
		Schema: Schema, Taken: time.Now().UTC().Truncate(time.Second), Cluster: c.Name, Version: c.Version,
		Namespace: Namespace{Name: c.Namespace}, Nodes: []Node{}, Classes: []Class{}, Missing: []cluster.Rule{},
		Gaps: []inspect.Gap{}, WouldAdd: []cluster.Rule{},
	}
	for _, read := range []func(context.Context, *cluster.Cluster){s.readNamespace, s.readNodes, s.readClasses, s.readCNPG, s.readRights} {
		read(ctx, c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	s.Findings = Findings(s)
	return s, nil
}

// gap notes that something could not be read, and the rule that would allow it.
func (s *Survey) gap(what string, err error, would cluster.Rule) {
	gap := inspect.Gap{What: what, Why: strings.Join(strings.Fields(err.Error()), " ")}
	if cluster.NotAllowed(err) && len(would.Verbs) > 0 {
		gap.Needs = strings.Join(would.Verbs, ", ") + " " + strings.Join(would.Resources, ", ")
		s.WouldAdd = cluster.AddRule(s.WouldAdd, would)
	}
	s.Gaps = append(s.Gaps, gap)
}

// parallel is how many requests are sent at a time.
const parallel = 8

// each calls a function for each of n things, several at a time.
func each(n int, do func(i int)) {
	var wait sync.WaitGroup
	places := make(chan struct{}, parallel)
	for i := range n {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			do(i)
		})
	}
	wait.Wait()
}
