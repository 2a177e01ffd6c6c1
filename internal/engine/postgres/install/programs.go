// Package install finds PostgreSQL's installed programs and their versions, and runs them to
// completion.
package install

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// The major versions that plinth supports. A later one is rejected: the formats of its
// transaction log, and what it leaves behind after a crash, are unknown.
const (
	OldestVersion = 13
	NewestVersion = 18
)

// BinVariable names the environment variable with the directories of PostgreSQL programs,
// separated by ':', that are searched before all others.
const BinVariable = "PLINTH_PG_BIN"

// Programs is one installation of PostgreSQL's server programs.
type Programs struct {
	Version     int    // major: 15
	VersionText string // "15.18 (Debian 15.18-0+deb12u1)"
	Initdb      string // absolute, in the same directory as Postgres
	Postgres    string
}

// FindPrograms finds an installation of the given major version. For version 0 it returns the
// newest in PLINTH_PG_BIN or, if that has none, the newest in PATH and the package directories.
// If directory is not empty, only the programs there are considered.
func FindPrograms(version int, directory string) (Programs, error) {
	if directory != "" {
		return programsIn(launch.NewLocal(), version, directory)
	}
	return findPrograms(launch.NewLocal(), version, BinDirs(), PackageDirs())
}

// programsIn returns the programs in a directory, which must all be of the same build.
func programsIn(launcher launch.Launcher, version int, directory string) (Programs, error) {
	p := Programs{Initdb: filepath.Join(directory, "initdb"), Postgres: filepath.Join(directory, "postgres")}
	for _, program := range []string{p.Initdb, p.Postgres} {
		if _, err := launch.FindProgram(program); err != nil {
			return Programs{}, hint.Errorf("give the directory of initdb and postgres, such as "+filepath.Join(directory, "bin"),
				"cannot use the programs in %s: %w", directory, err)
		}
	}
	var err error
	if p.VersionText, err = VersionOf(launcher, p.Postgres); err == nil {
		p.Version, err = MajorVersion(p.VersionText)
	}
	if err != nil {
		return Programs{}, fmt.Errorf("cannot use the programs in %s: %w", directory, err)
	}
	other, err := VersionOf(launcher, p.Initdb)
	switch {
	case err != nil:
		return Programs{}, fmt.Errorf("cannot use the programs in %s: %w", directory, err)
	case other != p.VersionText:
		return Programs{}, hint.Errorf("install one build there: make install", "%s mixes versions: postgres is %s, initdb is %s", directory, p.VersionText, other)
	case version != 0 && version != p.Version:
		return Programs{}, hint.Errorf("leave version out, or give another directory", "%s contains PostgreSQL %d, not %d", directory, p.Version, version)
	}
	return p, nil
}

func findPrograms(launcher launch.Launcher, version int, named, others []string) (Programs, error) {
	first, refused := Installations(launcher, named)
	rest, refusedRest := Installations(launcher, others)
	wanted := func(p Programs) bool { return p.Version == version }
	switch {
	case version != 0:
		all := append(first, rest...)
		if i := slices.IndexFunc(all, wanted); i >= 0 {
			return all[i], nil
		}
		return Programs{}, notFound(version, all, append(refused, refusedRest...))
	case len(first) > 0:
		return newest(first), nil
	case len(rest) > 0:
		return newest(rest), nil
	}
	return Programs{}, notFound(0, nil, append(refused, refusedRest...))
}

// newest returns the newest; among equals, the one found first.
func newest(all []Programs) Programs {
	return slices.MaxFunc(all, func(a, b Programs) int { return cmp.Compare(a.Version, b.Version) })
}

func notFound(version int, found []Programs, refused []string) error {
	install := launch.Install("postgres") + "; or set " + BinVariable
	also := ""
	if len(refused) > 0 {
		also = " (" + strings.Join(refused, "; ") + ")"
	}
	if version == 0 {
		return hint.Errorf(install,
			"cannot find PostgreSQL: no initdb in %s, PATH or where packages install it%s", BinVariable, also)
	}
	if len(found) == 0 {
		return hint.Errorf(install, "cannot find PostgreSQL %d: no version is installed%s", version, also)
	}
	var there []string
	for _, p := range found {
		there = append(there, fmt.Sprintf("%d in %s", p.Version, filepath.Dir(p.Postgres)))
	}
	return hint.Errorf(fmt.Sprintf("install it: apt install postgresql-%d, dnf install postgresql%[1]d-server, apk add postgresql%[1]d; or set %s", version, BinVariable),
		"cannot find PostgreSQL %d: found only %s%s", version, strings.Join(there, ", "), also)
}

// Installations returns the usable installations in dirs, and why others are unusable.
func Installations(launcher launch.Launcher, dirs []string) (found []Programs, refused []string) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		// PATH may hold a symbolic link to a program whose companions and libraries are
		// elsewhere: what counts is where the program really is.
		initdb, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
		if err != nil || seen[initdb] {
			continue
		}
		seen[initdb] = true
		p := Programs{Initdb: initdb, Postgres: filepath.Join(filepath.Dir(initdb), "postgres")}
		if p.VersionText, err = VersionOf(launcher, p.Postgres); err == nil {
			p.Version, err = MajorVersion(p.VersionText)
		}
		if err != nil {
			refused = append(refused, err.Error())
			continue
		}
		found = append(found, p)
	}
	return found, refused
}

// versionLine matches the output of --version, "postgres (PostgreSQL) 15.18 (Debian …)".
var versionLine = regexp.MustCompile(`^\w+ \(PostgreSQL\) (\S.*)$`)

// versions holds what programs have reported: each environment of an experiment asks again.
var versions sync.Map // version by programFile

// programFile is a program as it was when it was asked.
type programFile struct {
	path    string
	changed time.Time
	size    int64
}

// VersionOf returns the version that a program reports: "15.18 (Debian 15.18-0+deb12u1)". It asks a program again only if its
// file has changed.
func VersionOf(launcher launch.Launcher, program string) (string, error) {
	info, err := os.Stat(program)
	if err != nil {
		return askVersion(launcher, program)
	}
	file := programFile{program, info.ModTime(), info.Size()}
	if known, there := versions.Load(file); there {
		return known.(string), nil
	}
	version, err := askVersion(launcher, program)
	if err == nil {
		versions.Store(file, version)
	}
	return version, err
}

func askVersion(launcher launch.Launcher, program string) (string, error) {
	out, err := Output(launcher, program, "--version")
	if err != nil {
		return "", fmt.Errorf("%s does not run: %w", program, err)
	}
	match := versionLine.FindStringSubmatch(strings.TrimSpace(out))
	if match == nil {
		return "", fmt.Errorf("%s is not a PostgreSQL program", program)
	}
	return match[1], nil
}

// MajorVersion parses the 15 of "15.18 (Debian …)" and the 18 of "18beta1". It returns an error
// for a version that plinth does not support.
func MajorVersion(text string) (int, error) {
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	major, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a version of PostgreSQL", text)
	case major < OldestVersion:
		return 0, fmt.Errorf("PostgreSQL %s is older than %d, the oldest version that plinth supports", text, OldestVersion)
	case major > NewestVersion:
		return 0, fmt.Errorf("PostgreSQL %s is newer than %d, the newest version that plinth supports", text, NewestVersion)
	}
	return major, nil
}

// BinDirs returns the directories that BinVariable names.
func BinDirs() []string { return filepath.SplitList(os.Getenv(BinVariable)) }

// packageDirs are the directories of PostgreSQL's own packages and of those of Debian, openSUSE, Alpine
// and Gentoo. Those of Red Hat are in PATH.
var packageDirs = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin",
	"/usr/lib/postgresql[0-9]*/bin", "/usr/libexec/postgresql[0-9]*", "/usr/lib64/postgresql-[0-9]*/bin",
}

// PackageDirs returns PATH and the directories of packages.
func PackageDirs() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range packageDirs {
		matches, _ := filepath.Glob(pattern) // the patterns are well formed
		dirs = append(dirs, matches...)
	}
	return dirs
}
