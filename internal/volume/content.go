package volume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// content describes a block device and what is on it.
type content struct {
	path string // as given
	name string // as spelled in /sys
	size unit.Size
	// model is the manufacturer's name of the disk, or "".
	model string
	// signature names what blkid finds: "ext4 labelled data", "gpt partition table"; "" for
	// nothing.
	signature string
	// unknown is the error that kept the contents from being determined, or nil.
	unknown error
}

// sectorSize is the unit of /sys and blockdev in bytes, whatever the disk's own.
const sectorSize = 512

// readContent inspects a block device without changing anything.
func readContent(ctx context.Context, l launch.Launcher, path string) (content, error) {
	info, err := os.Stat(path)
	if err != nil {
		return content{}, err
	}
	if info.Mode()&os.ModeDevice == 0 || info.Mode()&os.ModeCharDevice != 0 {
		return content{}, errNoDevice
	}
	c := content{path: path, name: sysNameOf(path)}
	sectors, err := strconv.ParseInt(readWord(filepath.Join(sysBlock, c.name, "size")), 10, 64)
	if err != nil {
		return c, fmt.Errorf("cannot read its size: %w", err)
	}
	c.size = unit.Size(sectors * sectorSize)
	c.model = strings.TrimSpace(readWord(filepath.Join(filepath.Dir(queueOf(path)), "device/model")))
	c.signature, c.unknown = readSignature(ctx, l, path)
	return c, nil
}

var errNoDevice = errors.New("it is not a block device")

func queueOf(path string) string {
	dir, _ := queueDir(path)
	return dir
}

// Exit codes of blkid: nothing found (or nothing could be read), and several signatures found.
const (
	blkidNothing   = 2
	blkidAmbiguous = 8
)

// readSignature asks blkid what is on a device, bypassing all caches. blkid knows about a hundred
// formats; a list maintained here would miss some, and data would be lost. blkid exits with the
// same code for an unreadable device as for an empty one, so the device is read first.
func readSignature(ctx context.Context, l launch.Launcher, path string) (string, error) {
	if err := readable(path); err != nil {
		return "", err
	}
	out, err := blkidProgram.run(ctx, l, "-p", "-o", "export", path)
	var exit *exitError
	if errors.As(err, &exit) {
		switch {
		case exit.status.Code == blkidNothing && exit.words == "":
			return "", nil
		case exit.status.Code == blkidAmbiguous:
			return "several signatures", nil
		}
	}
	if err != nil {
		return "", err
	}
	return signatureOf(out)
}

// signatureOf returns what blkid reports when it exits with status 0: "" for an empty partition. BusyBox's
// blkid ignores options and always exits with status 0.
func signatureOf(out string) (string, error) {
	found := parseExport(out)
	if found["DEVNAME"] == "" && found["PART_ENTRY_SCHEME"] == "" && parseSignature(out) == "" {
		return "", hint.Errorf(launch.Install(blkidProgram.name), "this machine's blkid does not say what it finds")
	}
	return parseSignature(out), nil
}

// signed is the size in bytes of the areas at both ends of a device that hold nearly all
// signatures.
const signed = 256 << 10

// readable returns an error unless both ends of a device can be read.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return bare(err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	for _, at := range []int64{0, max(0, size-signed)} {
		if err == nil {
			_, err = io.Copy(io.Discard, io.NewSectionReader(f, at, signed))
		}
	}
	return errors.Join(bare(err), f.Close())
}

// bare strips the path from err; the caller adds it.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// parseExport parses blkid's export format: one NAME=value per line, with shell metacharacters
// escaped by backslashes.
func parseExport(out string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(out) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			found[name] = strings.ReplaceAll(value, `\`, "")
		}
	}
	return found
}

// parseSignature names what blkid has found.
func parseSignature(out string) string {
	found := parseExport(out)
	switch {
	case found["TYPE"] != "" && found["LABEL"] != "":
		return found["TYPE"] + " labelled " + found["LABEL"]
	case found["TYPE"] != "":
		return found["TYPE"]
	case found["PTTYPE"] != "":
		return found["PTTYPE"] + " partition table"
	case found["USAGE"] != "":
		return found["USAGE"]
	}
	return ""
}

// String describes the device to the user who has to decide about it.
func (c content) String() string {
	words := c.size.String()
	if c.model != "" {
		words = c.model + ", " + words
	}
	switch {
	case c.unknown != nil:
		return fmt.Sprintf("%s (%s, contents unknown)", c.path, words)
	case c.signature == "":
		return fmt.Sprintf("%s (%s, empty)", c.path, words)
	}
	return fmt.Sprintf("%s (%s, with %s)", c.path, words, c.signature)
}
