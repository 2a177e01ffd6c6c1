package tune

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
)

// fakeServer simulates a server that applies settings on Reload, except those that need a
// restart.
type fakeServer struct {
	values  map[string]string
	lasting map[string]string
	restart map[string]bool
	refused map[string]string // settings that this role may not set, and why
	pid     int
	spells  map[string]string // values that it stores in another spelling
	deaf    func()            // if not nil, Reload applies nothing and calls deaf
}

func newServer() *fakeServer {
	return &fakeServer{lasting: map[string]string{}, restart: map[string]bool{"shared_buffers": true, "huge_pages": true},
		refused: map[string]string{}, values: map[string]string{"shared_buffers": "128MB", "bgwriter_delay": "200ms",
			"work_mem": "4MB", "fsync": "on", "huge_pages": "try", "max_connections": "100", "shared_memory_size_in_huge_pages": "70"}}
}

func (s *fakeServer) Name() string { return "PostgreSQL in /data" }

func (s *fakeServer) Setting(_ context.Context, name string) (ServerSetting, bool, error) {
	value, there := s.values[name]
	why, no := s.refused[name]
	return ServerSetting{Value: value, Restart: s.restart[name], Settable: !no, Why: why, Same: func(other string) (bool, error) {
		if other == "nonsense" {
			return false, errors.New(`invalid value for parameter "` + name + `": "nonsense"`)
		}
		return same(name, value, other) || s.spells[other] == value, nil
	}}, there, nil
}

func (s *fakeServer) Names(context.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(s.values)), nil
}

func (s *fakeServer) Set(_ context.Context, name string, value *string) error {
	if value == nil {
		delete(s.lasting, name)
		return nil
	}
	s.lasting[name] = cmp.Or(s.spells[*value], *value)
	return nil
}

func (s *fakeServer) Lasting(_ context.Context, name string) (*string, error) {
	if value, set := s.lasting[name]; set {
		return &value, nil
	}
	return nil, nil
}

func (s *fakeServer) Reload(context.Context) error {
	if s.deaf != nil {
		s.deaf()
		return nil
	}
	first := newServer()
	for name := range s.values {
		if s.restart[name] {
			continue
		}
		s.values[name] = first.values[name]
		if value, set := s.lasting[name]; set {
			s.values[name] = value
		}
	}
	return nil
}

func (s *fakeServer) PID() int { return s.pid }

// fakeDomain is a domain whose definition lists its values, one per line.
type fakeDomain struct{ xml string }

func (d *fakeDomain) Name() string { return "vm1" }

func (d *fakeDomain) Values(context.Context) (map[string]string, error) {
	values := map[string]string{}
	for line := range strings.Lines(d.xml) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		values[name] = value
	}
	return values, nil
}

func (d *fakeDomain) Set(ctx context.Context, values map[string]string) error {
	all, _ := d.Values(ctx)
	maps.Copy(all, values)
	d.xml = ""
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d.xml += name + " " + all[name] + "\n"
	}
	return nil
}

func (d *fakeDomain) Put(_ context.Context, xml string) error { d.xml = xml; return nil }
func (d *fakeDomain) XML(context.Context) (string, error)     { return d.xml, nil }
