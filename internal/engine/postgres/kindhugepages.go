package postgres

import (
	"context"
	"errors"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/unit"
)

// HugePagesNeeded is how many huge pages of the default size, in bytes, an
// environment's server needs with the settings that it is to have: by the word of the
// program where it says so (15 and later), else an estimate.
func (Kind) HugePagesNeeded(ctx context.Context, e *experiment.Experiment, env experiment.Environment, page int64) (int64, error) {
	settings := e.SettingsOf(env)
	n, err := HugePagesWith(ctx, env.Postgres.Version, settings)
	if err == nil || ctx.Err() != nil {
		return n, errors.Join(ctx.Err())
	}
	buffers := settings["shared_buffers"]
	if buffers == "" {
		buffers = unit.Size(defaultBuffers).String()
	}
	return HugePagesAbout(buffers, page)
}

// defaultBuffers is shared_buffers unless said.
const defaultBuffers = 128 << 20

// MajorVersion is that of the programs that an environment's server will be of; 0
// where none are found.
func (Kind) MajorVersion(env experiment.Environment) int {
	programs, err := install.FindPrograms(env.Postgres.Version)
	if err != nil {
		return 0
	}
	return programs.Version
}
