// Command image makes plinth's container image for each architecture: the programs plinth, pgbench,
// redis-benchmark and fio, and of Debian 12 only what they need. It uses no container daemon and changes nothing
// of this machine's packages.
//
// The same commit, Go and versions of Debian's packages give the same digests.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// options of one build.
type options struct {
	root    string // of the project
	version string // of plinth
	arches  []string
	out     string // directory of the images
	cache   string // directory of Debian's packages
	mirror  string
	push    string // reference in a registry; may be empty
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:])
	if err == nil {
		err = build(ctx, o)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "cannot make the image: %v\n", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.StringVar(&o.root, "root", "../..", "directory of the project")
	flags.StringVar(&o.version, "version", "unknown", "version of plinth, and tag of the image")
	arches := flags.String("arch", "amd64,arm64", "architectures")
	flags.StringVar(&o.mirror, "mirror", "", "`URL` above debian/ and debian-security/; that of this machine's apt if empty")
	flags.StringVar(&o.push, "push", "", "also push the image of all architectures to a registry, as this `REFERENCE`; credentials as for docker")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.arches = strings.Split(*arches, ",")
	for _, arch := range o.arches {
		if _, known := triplets[arch]; !known {
			return o, fmt.Errorf("the architecture %q is unknown: use amd64 or arm64", arch)
		}
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	o.out, o.cache = filepath.Join(o.root, "dist", "image"), filepath.Join(o.root, ".cache", "image")
	return o, nil
}

// build makes the images, and writes them to o.out.
func build(ctx context.Context, o options) error {
	if o.push != "" { // a mistake in it is reported before the work
		if _, err := name.ParseReference(o.push); err != nil {
			return err
		}
	}
	created, err := sourceDate()
	if err != nil {
		return err
	}
	var images []v1.Image
	for _, arch := range o.arches {
		image, err := buildFor(ctx, o, arch, created)
		if err != nil {
			return fmt.Errorf("for %s: %w", arch, err)
		}
		images = append(images, image)
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	for i, image := range images {
		if err := writeTar(filepath.Join(o.out, fmt.Sprintf("plinth-%s-%s.tar", tag(o.version), o.arches[i])), "localhost/plinth:"+tag(o.version), image); err != nil {
			return err
		}
	}
	all, err := index(images, o.arches)
	if err != nil {
		return err
	}
	if err := writeLayout(filepath.Join(o.out, "oci"), tag(o.version), all); err != nil {
		return err
	}
	if o.push != "" {
		return push(ctx, o.push, all)
	}
	return nil
}

// usualMirror returns the mirror that this machine's apt uses.
func usualMirror(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", "$(SITE)").Output()
	if err != nil {
		return "", fmt.Errorf("cannot read the configuration of apt: %w", err)
	}
	for site := range strings.FieldsSeq(string(out)) {
		if above, is := strings.CutSuffix(strings.TrimSuffix(site, "/"), "/debian"); is {
			return above, nil
		}
	}
	return "", errors.New("apt has no mirror of Debian on this machine: give one with -mirror")
}

func buildFor(ctx context.Context, o options, arch string, created time.Time) (v1.Image, error) {
	if o.mirror == "" {
		mirror, err := usualMirror(ctx)
		if err != nil {
			return nil, err
		}
		o.mirror = mirror
	}
	packages, err := fetch(ctx, filepath.Join(o.cache, arch), arch, o.mirror)
	if err != nil {
		return nil, err
	}
	base, err := baseOf(ctx, packages, arch)
	if err != nil {
		return nil, err
	}
	program, err := compile(ctx, o, arch)
	if err != nil {
		return nil, err
	}
	return imageOf(arch, o.version, created, base, tree{"usr/bin/plinth": {mode: 0o755, data: program}})
}

// compile returns plinth's static program.
func compile(ctx context.Context, o options, arch string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "plinth-image-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "plinth")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version="+o.version, "-o", file, "./cmd/plinth")
	cmd.Dir = o.root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("cannot compile plinth: %w", err)
	}
	return os.ReadFile(file)
}

// sourceDate returns the time of the commit, from SOURCE_DATE_EPOCH.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

var notInTag = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// tag returns a version as the tag of an image. internal/kube/manifest names the image in the same way.
func tag(version string) string {
	clean := strings.TrimLeft(notInTag.ReplaceAllString(version, "-"), ".-")
	return clean[:min(len(clean), 128)]
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
