package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// array is what the journal knows of an array.
type array struct {
	Device  string   `json:"device"` // "/dev/md127"
	UUID    string   `json:"uuid"`   // chosen by plinth
	Members []string `json:"members"`
	// Emulators are those of emulated members.
	Emulators []string `json:"emulators,omitempty"`
}

// arrayPrefix is what paths of arrays begin with. Tests have another one, for
// kernels without md.
var arrayPrefix = "/dev/md"

// arrays is how many numbers are tried; mdadm itself counts down from 127.
const arrays = 128

// makeArray makes an array of the volume's disks.
func (v *Volume) makeArray(ctx context.Context) (string, error) {
	a := array{UUID: newUUID(), Emulators: v.mounts()}
	for _, d := range v.disks {
		a.Members = append(a.Members, d.path)
	}
	var err error
	if a.Device, err = freeArray(); err != nil {
		return "", err
	}
	if err := v.note(arrayKind, a); err != nil {
		return "", err
	}
	args := createArguments(a.Device, v.part.Volume, a.Members, mdUUID(a.UUID))
	if _, err := mdadmProgram.run(ctx, v.options.Launcher, args...); err != nil {
		return "", fmt.Errorf("cannot make an array: %w", err)
	}
	return a.Device, nil
}

func freeArray() (string, error) {
	for n := arrays - 1; n >= 0; n-- {
		path := arrayPrefix + strconv.Itoa(n)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		}
	}
	return "", hint.Errorf("stop an array that is not used (mdadm --stop)", "cannot make an array: all of %s0 to %d are taken", arrayPrefix, arrays-1)
}

// createArguments are mdadm's. Nothing is to be copied between the members after
// the making (--assume-clean): all that is read later has been written before, and
// a resync would go on under the first runs.
func createArguments(device string, v experiment.Volume, members []string, uuid string) []string {
	args := []string{"--create", device, "--run", "--level=" + v.RAID, "--raid-devices=" + strconv.Itoa(len(members))}
	if v.Chunk > 0 {
		args = append(args, "--chunk="+strconv.FormatInt(int64(v.Chunk/unit.KiB), 10))
	}
	if v.RAID != "0" {
		args = append(args, "--assume-clean")
	}
	if uuid != "" {
		args = append(args, "--uuid="+uuid)
	}
	return slices.Concat(args, members)
}

// mdUUID is how mdadm writes a UUID: four groups of eight.
func mdUUID(uuid string) string {
	hex := strings.ReplaceAll(uuid, "-", "")
	return strings.Join([]string{hex[:8], hex[8:16], hex[16:24], hex[24:]}, ":")
}
