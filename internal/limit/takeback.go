package limit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/hint"
)

var errInUse = errors.New("other control groups use it")

// undoControllers takes back what was enabled, unless somebody has come to need it.
func undoControllers(_ context.Context, args json.RawMessage) error {
	var e enabling
	if err := json.Unmarshal(args, &e); err != nil {
		return err
	}
	if !filepath.IsAbs(e.Path) || len(e.Controllers) == 0 {
		return fmt.Errorf("cannot take back controllers of %q: the journal does not say enough", e.Path)
	}
	e.Controllers = slices.DeleteFunc(e.Controllers, func(c string) bool {
		return len(lacking(e.Path, "cgroup.subtree_control", []string{c})) > 0
	})
	if len(e.Controllers) == 0 {
		return nil // a crash came first, or the group is gone
	}
	for _, controller := range e.Controllers {
		if user := userOf(e.Path, controller); user != "" {
			return hint.Errorf("run plinth clean when that is gone",
				"cannot take back the controller %s in %s: %w: %s", controller, e.Path, errInUse, user)
		}
	}
	if err := e.write("-"); err != nil {
		return fmt.Errorf("cannot take back %s in %s: %w", strings.Join(e.Controllers, ", "), e.Path, err)
	}
	return nil
}

// unlimited is how the files of a group look that nobody has set.
var unlimited = map[string]struct{ file, value string }{
	cpusetController: {"cpuset.cpus", ""},
	cpuController:    {"cpu.max", "max 100000"},
	memoryController: {"memory.max", "max"},
}

// userOf is a group below dir that uses a controller: one that gives it to groups
// below itself, or one with a limit; "" for none. Its limit would be gone with the
// controller.
func userOf(dir, controller string) string {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		below := filepath.Join(dir, entry.Name())
		if !entry.IsDir() {
			continue
		}
		if len(lacking(below, "cgroup.subtree_control", []string{controller})) == 0 {
			return below
		}
		none := unlimited[controller]
		if value, err := readWord(below, none.file); err == nil && value != none.value {
			return below
		}
	}
	return ""
}
