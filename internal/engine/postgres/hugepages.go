package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/postgres/setting"
	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// The first version that has shared_memory_size_in_huge_pages.
const hugePagesVersion = 15

// HugePagesWith returns how many huge pages of the default size a server of a major version would
// need with the given settings, as the program itself computes it:
// shared_memory_size_in_huge_pages (15 and later).
// https://www.postgresql.org/docs/current/runtime-config-preset.html
func HugePagesWith(ctx context.Context, of experiment.Postgres, settings map[string]string) (int64, error) {
	if of.Version != 0 && of.Version < hugePagesVersion {
		return 0, fmt.Errorf("PostgreSQL %d does not report shared_memory_size_in_huge_pages", of.Version)
	}
	programs, err := install.FindPrograms(of.Version, of.Directory)
	if err != nil {
		return 0, err
	}
	if programs.Version < hugePagesVersion {
		return 0, fmt.Errorf("PostgreSQL %d does not report shared_memory_size_in_huge_pages", programs.Version)
	}
	settings = maps.Clone(settings)
	maps.DeleteFunc(settings, func(name, _ string) bool { return !Sizes(name) })
	question := fmt.Sprint(programs.Postgres, settings) // a map is printed in the order of its keys
	if n, known := hugePagesKnown.Load(question); known {
		return n.(int64), nil
	}
	n, err := computeHugePages(ctx, programs, settings)
	if err == nil {
		hugePagesKnown.Store(question, n)
	}
	return n, err
}

// hugePagesKnown has the answers of the programs, by program and settings: each takes a second, and a search asks for those of
// hundreds of environments that hardly differ in these settings.
var hugePagesKnown sync.Map

// computeHugePages has the program compute the huge pages. It does that only for an existing cluster, so a temporary one is
// created.
func computeHugePages(ctx context.Context, programs install.Programs, settings map[string]string) (int64, error) {
	launcher := launch.NewLocal()
	if err := checkSettings(ctx, launcher, programs, settings); err != nil { // before a cluster is created
		return 0, err
	}
	user, err := launch.ServerUser()
	if err != nil {
		return 0, err
	}
	parent, err := os.MkdirTemp("/tmp", "plinth-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	if user != nil {
		if err := errors.Join(os.Chmod(parent, 0o711), os.Chown(dir, user.UID, user.GID)); err != nil {
			return 0, err
		}
	}
	if err := install.Run(ctx, launcher, launch.Command{
		Path: programs.Initdb, Env: install.Env(), Dir: dir, User: user,
		Args: []string{"-D", dir, "--no-sync", "--auth=reject", "-E", "UTF8", "--locale=C"},
	}); err != nil {
		return 0, fmt.Errorf("cannot create a temporary cluster to compute the huge pages: %w", err)
	}
	return askHugePages(ctx, launcher, programs, user, dir, settings)
}

// sizing are the parameters that shared memory depends on; others could keep the program from
// answering.
var sizing = strings.Fields(`autovacuum_max_workers autovacuum_worker_slots huge_page_size io_max_concurrency io_method
	max_connections max_locks_per_transaction max_logical_replication_workers max_notify_queue_pages
	max_pred_locks_per_transaction max_prepared_transactions max_replication_slots max_wal_senders max_worker_processes
	multixact_member_buffers multixact_offset_buffers notify_buffers serializable_buffers shared_buffers
	subtransaction_buffers transaction_buffers commit_timestamp_buffers wal_buffers`)

// Sizes reports whether a parameter changes how much shared memory a server uses.
func Sizes(parameter string) bool { return slices.Contains(sizing, strings.ToLower(parameter)) }

func askHugePages(ctx context.Context, launcher launch.Launcher, programs install.Programs, user *launch.User, dir string, settings map[string]string) (int64, error) {
	args := []string{"-C", "shared_memory_size_in_huge_pages", "-D", dir}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	var out bytes.Buffer
	err := install.Run(ctx, launcher, launch.Command{Path: programs.Postgres, Env: install.Env(), Dir: dir, User: user, Args: args, Stdout: &out})
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out.String()), 10, 64)
	if err != nil || n <= 0 { // -1: huge pages are not supported
		return 0, errors.New("PostgreSQL reports that huge pages are not supported on this machine")
	}
	return n, nil
}

// Shared memory beyond shared_buffers, for versions that do not compute it: 2 % for the headers
// of its pages, wal_buffers and a fixed part. PostgreSQL 15 to 18 used 24 MiB more at 256 MB, and
// 50 MiB more at 1 GB. The estimate is on the high side: too few pages keep a server from
// starting, while one too many costs 2 MiB.
const (
	sharedBeyond = 0.03
	sharedBeside = 32 * int64(unit.MiB)
)

// HugePagesAbout estimates what HugePagesWith cannot compute: shared_buffers plus 3 % and 32 MiB,
// in pages of the given size in bytes.
func HugePagesAbout(sharedBuffers string, page int64) (int64, error) {
	size, err := setting.Memory(sharedBuffers, pageSize)
	if err != nil || page <= 0 {
		return 0, errors.Join(err)
	}
	return int64(math.Ceil((float64(size)*(1+sharedBeyond) + float64(sharedBeside)) / float64(page))), nil
}

// HugePagesNeeded returns how many huge pages of the default size, page bytes each, an
// environment's server needs with its settings: computed by the program (15 and later), else an
// estimate.
func (Kind) HugePagesNeeded(ctx context.Context, e *experiment.Experiment, env experiment.Environment, page int64) (int64, error) {
	settings := e.SettingsOf(env)
	n, err := HugePagesWith(ctx, env.Postgres, settings)
	if err == nil || ctx.Err() != nil {
		return n, errors.Join(ctx.Err())
	}
	buffers := settings["shared_buffers"]
	if buffers == "" {
		buffers = unit.Size(defaultBuffers).String()
	}
	return HugePagesAbout(buffers, page)
}

// defaultBuffers is PostgreSQL's default of shared_buffers, in bytes.
const defaultBuffers = 128 << 20

// MajorVersion returns the version of the programs for an environment's server; 0 if none are
// found.
func (Kind) MajorVersion(env experiment.Environment) int {
	programs, err := install.FindPrograms(env.Postgres.Version, env.Postgres.Directory)
	if err != nil {
		return 0
	}
	return programs.Version
}
