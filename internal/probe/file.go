package probe

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// testFile makes the file that a probe of a directory works on, in a directory of
// plinth's own that the journal knows. told is told the share that is written.
func testFile(ctx context.Context, o Options, t Target, told func(share float64)) (string, error) {
	dir, err := ownDirectory(ctx, o, t.Path)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "probe.dat")
	if err := fill(ctx, path, t.Size, o.Seed, told); err != nil {
		return "", fmt.Errorf("cannot write the test file: %w", err)
	}
	return path, nil
}

// ownDirectory is a new directory of plinth's own in one that is there.
func ownDirectory(ctx context.Context, o Options, parent string) (string, error) {
	options := volume.Options{Journal: o.Journal, Launcher: o.Launcher, Name: "plinth-" + strings.ToLower(rand.Text()[:8])}
	made, err := volume.Make(ctx, options, experiment.Part{Role: "probe", Name: "probe", Volume: experiment.Volume{Directory: parent}})
	if err != nil {
		return "", err
	}
	return made.Path, nil
}

// fill writes a file full of noise. It is really written: blocks that are only set
// aside are read as zeros without asking the disk. And it is noise, because some
// disks and filesystems store little of what repeats.
func fill(ctx context.Context, path string, size unit.Size, seed uint64, told func(share float64)) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := noise(ctx, f, size, seed, told); err != nil {
		return err
	}
	return f.Sync()
}

func noise(ctx context.Context, f *os.File, size unit.Size, seed uint64, told func(share float64)) error {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	source := mathrand.NewChaCha8(key)
	block := make([]byte, unit.MiB)
	for done := unit.Size(0); done < size; done += unit.MiB {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, _ = source.Read(block) // never fails
		if _, err := f.Write(block[:min(unit.MiB, size-done)]); err != nil {
			return err
		}
		if done%(64*unit.MiB) == 0 { // what is written, and not what waits to be
			if err := f.Sync(); err != nil {
				return err
			}
			told(float64(done) / float64(size))
		}
	}
	return nil
}
