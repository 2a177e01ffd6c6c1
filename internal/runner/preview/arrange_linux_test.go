package preview

import (
	"testing"

	"plinth/internal/experiment/decode"
	"plinth/internal/runner/hosttuning"
)

// Servers that run one at a time need the memory of the largest.
func TestMemoryOfServersThatRunOneAtATime(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _, err := decode.Parse("x.yaml", []byte(`
workloads: [select-only]
environments:
  small: {settings: {shared_buffers: 256MB}}
  large: {settings: {shared_buffers: 1TB}}
`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(e, &hosttuning.Host{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if large := p.needs("large").Memory; p.SideBySide || p.Memory != large || large < 1<<40 {
		t.Errorf("%d bytes, want %d", p.Memory, large)
	}
}
