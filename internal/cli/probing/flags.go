package probing

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"plinth/internal/cli/base"
	"plinth/internal/device"
	"plinth/internal/hint"
	"plinth/internal/probe"
	"plinth/internal/unit"
)

// probeFlags holds the flags of plinth probe, unparsed.
type probeFlags struct {
	length, size, expect, local, beside, output, name string
	sustained, erase, memory, asJSON                  bool
	class                                             classFlags
}

func (f *probeFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.length, "for", "", "measure for `DURATION` (default: 60s, or 10m with --sustained)")
	flags.StringVar(&f.size, "size", "", "`SIZE` of the test file (default: 1GiB, or 4GiB with --sustained), or of memory (default: larger than all caches)")
	flags.StringVar(&f.expect, "expect", "", "compare the disk, or each member of an array, with `DEVICE`: a name from plinth devices, or a model file")
	flags.StringVar(&f.local, "local", "", "compare a network or replicated volume with the local disk that stores it: `PATH` of a directory on that disk, or of a model file")
	flags.StringVar(&f.beside, "beside", "", "probe another disk in turn: `PATH` of a directory on it; with --kubernetes, node (default) or none")
	flags.StringVarP(&f.output, "output", "o", "", "device `FILE` to write, or none (default: NAME.device.yaml in the current directory)")
	flags.StringVar(&f.name, "name", "", "`NAME` of the device in that file (default: its model or kernel name)")
	flags.BoolVar(&f.sustained, "sustained", false, "continue until bursts and caches are exhausted")
	flags.BoolVar(&f.erase, "erase", false, "allow writing to a block device, which destroys its contents")
	flags.BoolVar(&f.memory, "memory", false, "measure memory instead of a disk")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	f.class.register(flags)
}

// options parses the flags.
func (f probeFlags) options(path string) (o probe.Options, err error) {
	o = probe.Options{Path: path, Erase: f.erase, Name: f.name, Seed: rand.Uint64() >> 1}
	if o.For, o.Sustained, err = f.lengths(); err != nil {
		return o, err
	}
	if o.Size, err = f.bytes(); err != nil {
		return o, err
	}
	if f.local != "" {
		if o.Local, o.LocalModel, err = beneath(f.local); err != nil {
			return o, err
		}
	}
	if f.beside != "" && f.local != "" {
		return o, hint.Errorf("leave one of them out", "--beside and --local cannot be used together")
	}
	o.Beside = f.beside
	if f.expect != "" {
		o.Expect, err = expected(f.expect)
	}
	return o, err
}

// beneath returns the path of a directory on the local disk under a volume, or that disk's model.
func beneath(path string) (directory string, model *device.Device, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", nil, hint.Errorf(probe.LocalHint, "--local: cannot use %s: %w", path, errors.Unwrap(err))
	case info.IsDir():
		return path, nil, nil
	case !info.Mode().IsRegular():
		return "", nil, hint.Errorf(probe.LocalHint, "--local: %s is neither a directory nor a model file", path)
	}
	text, err := base.ReadSmall(path)
	if err != nil {
		return "", nil, fmt.Errorf("--local: cannot read the model file %s: %w", path, err)
	}
	d, err := device.ReadFile(text)
	if err != nil {
		return "", nil, fmt.Errorf("--local: %s: %w", path, err)
	}
	return "", &d, nil
}

const (
	usualProbe     = time.Minute
	usualSustained = 10 * time.Minute
)

// lengths returns the duration of the steps, and of the sustained writes after them.
func (f probeFlags) lengths() (steps, sustained time.Duration, err error) {
	whole := usualProbe
	if f.sustained {
		whole = usualSustained
	}
	if f.length != "" {
		length, err := unit.ParseDuration(f.length)
		if err != nil {
			return 0, 0, hint.Wrap(fmt.Errorf("--for: %w", err), "write --for 60s, or --for 10m with --sustained")
		}
		whole = length.Std()
	}
	steps = whole
	if f.sustained {
		steps = min(usualProbe, whole/2)
	}
	if steps < probe.Shortest || whole > 24*time.Hour {
		return 0, 0, hint.Errorf(fmt.Sprintf("use --for %s to --for 24h; with --sustained, at least --for %s", unit.Duration(probe.Shortest), unit.Duration(2*probe.Shortest)), "cannot probe for %s", unit.Duration(whole))
	}
	return steps, whole - steps, nil
}

// bytes parses --size; 0 if not given.
func (f probeFlags) bytes() (unit.Size, error) {
	if f.size == "" {
		return 0, nil
	}
	size, err := unit.ParseSize(f.size)
	if err != nil {
		return 0, hint.Wrap(fmt.Errorf("--size: %w", err), "write --size 1GiB")
	}
	if size < probe.LeastSize {
		return 0, hint.Errorf("use "+probe.LeastSize.String()+" or more", "--size: %s is too small", size)
	}
	return size, nil
}

// expected returns a device of the catalog, or of a model file: a name with a slash, or one that
// ends in .yaml.
func expected(name string) (*device.Device, error) {
	if !strings.Contains(name, "/") && !strings.HasSuffix(name, ".yaml") {
		d, err := device.Configure(name, device.Options{})
		return &d, err
	}
	text, err := base.ReadSmall(name)
	if err != nil {
		return nil, hint.Errorf("name a device that plinth devices lists, or a model file", "--expect: cannot read %s: %w", name, err)
	}
	d, err := device.ReadFile(text)
	if err != nil {
		return nil, fmt.Errorf("--expect: %s: %w", name, err)
	}
	return &d, nil
}
