package tune

import "context"

// Domain is a virtual machine as libvirt has it defined. What is set acts when it
// starts the next time.
type Domain interface {
	Name() string
	// Values are what it has, by the names of knobs: "vcpupin": "0=8,1=9", "numatune":
	// "strict 1".
	Values(ctx context.Context) (map[string]string, error)
	// Set redefines it, once, with all of the values.
	Set(ctx context.Context, values map[string]string) error
	// Put defines it as it was.
	Put(ctx context.Context, xml string) error
	// XML is its definition, as it is when it does not run.
	XML(ctx context.Context) (string, error)
}
