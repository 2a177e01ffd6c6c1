package tune

import "context"

// Server is a server whose settings are knobs: PostgreSQL's parameters, Redis' CONFIG.
// What it says of a setting counts, not the catalog.
type Server interface {
	// Name is what server it is, the same after it was started anew and without a
	// password in it: a journal names it, so that no other server is put back in its
	// place. "PostgreSQL in /var/lib/postgresql/17/main", "Redis at 127.0.0.1:6379".
	Name() string
	// Setting is a setting with what it may be; false where the server does not have it.
	Setting(ctx context.Context, name string) (ServerSetting, bool, error)
	// Names are all settings that it has, for the nearest right name.
	Names(ctx context.Context) ([]string, error)
	// Set sets it so that it lasts (ALTER SYSTEM, CONFIG SET), and takes back what was
	// set so where value is nil.
	Set(ctx context.Context, name string, value *string) error
	// Lasting is what Set had set before; nil for nothing.
	Lasting(ctx context.Context, name string) (*string, error)
	// Reload makes it read what was set.
	Reload(ctx context.Context) error
	// PID is that of its first process; 0 where it is not on this machine.
	PID() int
}

// ServerSetting is what a server says of one of its settings.
type ServerSetting struct {
	Value    string // as SHOW and CONFIG GET have it: "128MB"
	Restart  bool   // it changes only when the server starts
	Settable bool   // by this role, on this server: a managed one refuses some
	Why      string // why not
	// Same says whether a value means what Value means: "0.125GB" is "128MB". An error
	// where the server would refuse it, in the server's own words where it has them.
	Same func(value string) (bool, error)
}
