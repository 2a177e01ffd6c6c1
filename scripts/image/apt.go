package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	suite   = "bookworm"
	keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
)

// Debian's packages that the image has something of. What needed packages depend on is fetched, too. The
// others are fetched alone: the package of pgbench is that of the server, which needs far more.
var (
	needed = []string{"redis-tools", "libpq5", "fio"}
	alone  = []string{"postgresql-15", "ca-certificates", "base-files"}
)

// debian is an apt of its own for one architecture: it has no configuration, sources or state of this
// machine. It checks signatures as every apt does.
type debian struct {
	dir, arch, mirror string
}

// fetch returns the paths of the packages. dir keeps them for the next time.
func fetch(ctx context.Context, dir, arch, mirror string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(keyring); err != nil {
		return nil, fmt.Errorf("cannot check Debian's signatures: install debian-archive-keyring: %w", err)
	}
	d := debian{dir, arch, mirror}
	if err := d.configure(); err != nil {
		return nil, err
	}
	if _, err := d.get(ctx, "update"); err != nil {
		return nil, err
	}
	versions, err := d.closure(ctx, needed)
	if err != nil {
		return nil, err
	}
	all, err := d.closure(ctx, append(alone, needed...))
	if err != nil {
		return nil, err
	}
	for _, name := range alone {
		versions[name] = all[name]
	}
	return d.download(ctx, versions)
}

func (d debian) packages() string { return filepath.Join(d.dir, "packages") }

func (d debian) configure() error {
	for _, dir := range []string{"lists/partial", "archives/partial", "packages"} {
		if err := os.MkdirAll(filepath.Join(d.dir, dir), 0o755); err != nil {
			return err
		}
	}
	var sources strings.Builder
	for _, of := range []string{"debian " + suite, "debian " + suite + "-updates", "debian-security " + suite + "-security"} {
		fmt.Fprintf(&sources, "deb [signed-by=%s] %s/%s main\n", keyring, d.mirror, of)
	}
	for file, text := range map[string]string{
		"status":       "", // nothing is installed
		"sources.list": sources.String(),
		"apt.conf": fmt.Sprintf(`APT::Architecture %[2]q;
APT::Architectures { %[2]q; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "true";
Dir::Cache %[1]q;
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::Etc::sourcelist "%[1]s/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Log %[1]q;
Dir::State %[1]q;
Dir::State::status "%[1]s/status";
`, d.dir, d.arch),
	} {
		if err := os.WriteFile(filepath.Join(d.dir, file), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// get runs apt-get, and returns its output.
func (d debian) get(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{"--quiet=2"}, args...)...)
	cmd.Dir = d.packages()
	cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(d.dir, "apt.conf"), "LC_ALL=C")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: use a machine with Debian or Ubuntu", err)
	case err != nil:
		return "", fmt.Errorf("apt-get %s: %w\n%s", args[0], err, problems.String())
	}
	return out.String(), nil
}

// closure returns the packages with everything that they depend on, and the version of each.
func (d debian) closure(ctx context.Context, names []string) (map[string]string, error) {
	out, err := d.get(ctx, append([]string{"install", "--simulate"}, names...)...)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); { // Inst libpq5 (15.20-0+deb12u1 Debian-Security:12/… [amd64])
		if words := strings.Fields(lines.Text()); len(words) > 2 && words[0] == "Inst" {
			versions[words[1]] = strings.TrimPrefix(words[2], "(")
		}
	}
	for _, name := range names {
		if versions[name] == "" {
			return nil, fmt.Errorf("apt-get does not install %s:\n%s", name, out)
		}
	}
	return versions, nil
}

// download downloads packages unless they are there, and returns their paths, by name.
func (d debian) download(ctx context.Context, versions map[string]string) ([]string, error) {
	args := []string{"download"}
	for _, name := range sorted(versions) {
		args = append(args, name+"="+versions[name])
	}
	if _, err := d.get(ctx, args...); err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range sorted(versions) {
		pattern := fmt.Sprintf("%s_%s_*.deb", name, strings.ReplaceAll(versions[name], ":", "%3a"))
		found, err := filepath.Glob(filepath.Join(d.packages(), pattern))
		if err != nil || len(found) != 1 {
			return nil, fmt.Errorf("apt-get has not downloaded %s: %d files, %w", pattern, len(found), err)
		}
		paths = append(paths, found[0])
	}
	return paths, nil
}
