package cli

import (
	"fmt"
	"math/rand/v2"
	"time"

	"plinth/internal/hint"
	"plinth/internal/probe"
	"plinth/internal/unit"
)

// probeFlags are the flags of plinth probe, as they were written.
type probeFlags struct {
	length, size, expect, output, name string
	sustained, erase, memory, asJSON   bool
}

// options are the flags, understood.
func (f probeFlags) options(path string) (o probe.Options, err error) {
	o = probe.Options{Path: path, Erase: f.erase, Name: f.name, Seed: rand.Uint64() >> 1}
	if o.For, o.Sustained, err = f.lengths(); err != nil {
		return o, err
	}
	if o.Size, err = f.bytes(); err != nil {
		return o, err
	}
	if f.expect != "" {
		o.Expect, err = expected(f.expect)
	}
	return o, err
}

const (
	usualProbe     = time.Minute
	usualSustained = 10 * time.Minute
)

// lengths are how long the steps are measured, and how long writes go on after them.
func (f probeFlags) lengths() (steps, sustained time.Duration, err error) {
	whole := usualProbe
	if f.sustained {
		whole = usualSustained
	}
	if f.length != "" {
		length, err := unit.ParseDuration(f.length)
		if err != nil {
			return 0, 0, hint.Wrap(fmt.Errorf("--for: %w", err), "60s, or 10m with --sustained")
		}
		whole = length.Std()
	}
	steps = whole
	if f.sustained {
		steps = min(usualProbe, whole/2)
	}
	if steps < probe.Shortest || whole > 24*time.Hour {
		return 0, 0, hint.Errorf(fmt.Sprintf("--for %s to --for 24h; with --sustained --for %s at least", unit.Duration(probe.Shortest), unit.Duration(2*probe.Shortest)), "cannot probe for %s", unit.Duration(whole))
	}
	return steps, whole - steps, nil
}

// bytes is --size; 0 where it is not said.
func (f probeFlags) bytes() (unit.Size, error) {
	if f.size == "" {
		return 0, nil
	}
	size, err := unit.ParseSize(f.size)
	if err != nil {
		return 0, hint.Wrap(fmt.Errorf("--size: %w", err), "1GiB")
	}
	if size < probe.LeastSize {
		return 0, hint.Errorf(probe.LeastSize.String()+" or more", "--size: %s is too small", size)
	}
	return size, nil
}
