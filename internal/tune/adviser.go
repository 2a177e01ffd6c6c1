package tune

import (
	"context"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/record"
)

// Adviser is a domain that tells what is to be known before values are set: a guest that
// does not fit into its NUMA node, CPUs that are not there, that it runs. The error says
// why they cannot be set at all.
type Adviser interface {
	Advice(ctx context.Context, values map[string]string) ([]record.Note, error)
}

// domainAdvice adds what the domain says of its values to the conflicts.
func (r Request) domainAdvice(ctx context.Context, p *Plan) {
	adviser, can := r.Domain.(Adviser)
	if !can {
		return
	}
	values := map[string]string{}
	var changes []*Change
	for i := range p.Changes {
		c := &p.Changes[i]
		if k := c.Knob(); k.Scope == knob.OfDomain && c.State == Later {
			values[k.Name] = c.Then
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return
	}
	notes, err := adviser.Advice(ctx, values)
	if err != nil {
		for _, c := range changes {
			c.cannot(err.Error(), hint.Of(err))
		}
	}
	p.Conflicts = append(p.Conflicts, notes...)
}
