package install

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// FindPgbench finds the pgbench that drives all environments: that of PLINTH_PG_BIN, or else the
// newest in PATH and the package directories. version is "15.18".
//
// Debian's /usr/bin/pgbench is a Perl wrapper that chooses a cluster and starts the real program.
// It is skipped: it costs time, and it does not know the environment's server.
func FindPgbench() (path, version string, err error) {
	return findPgbench(launch.NewLocal(), BinDirs(), PackageDirs())
}

func findPgbench(launcher launch.Launcher, named, others []string) (path, version string, err error) {
	type program struct {
		path, text string
		major      int
	}
	var refused []string
	for _, dirs := range [][]string{named, others} {
		var found []program
		for _, dir := range dirs {
			path, err := filepath.EvalSymlinks(filepath.Join(dir, "pgbench"))
			if err != nil || filepath.Base(path) != "pgbench" {
				continue
			}
			p := program{path: path}
			if p.text, err = VersionOf(launcher, path); err == nil {
				p.major, err = MajorVersion(p.text)
			}
			if err != nil {
				refused = append(refused, err.Error())
				continue
			}
			found = append(found, p)
		}
		if len(found) > 0 {
			best := slices.MaxFunc(found, func(a, b program) int { return cmp.Compare(a.major, b.major) })
			version, _, _ := strings.Cut(best.text, " ")
			return best.path, version, nil
		}
	}
	also := ""
	if len(refused) > 0 {
		also = " (" + strings.Join(slices.Compact(refused), "; ") + ")"
	}
	return "", "", hint.Errorf(launch.Install("pgbench")+"; or set "+BinVariable,
		"cannot find pgbench in %s, PATH or where packages install it%s", BinVariable, also)
}
