// Package libvirt tunes the domain of a virtual machine: the host CPUs on which its vCPUs run,
// its memory, and the CPU model that the guest sees. It reads and defines a domain with the
// program virsh, as administrators do, so plinth needs no C library and reaches everything that
// virsh reaches.
//
// A change goes into the definition and takes effect at the domain's next start. Only elements
// that contain knobs are replaced, as libvirtxml writes them; everything else stays as libvirt
// printed it. Writing the whole document with libvirtxml was rejected: it drops elements that it
// does not know, such as those of a newer libvirt.
//
// Source of the elements: libvirt, "Domain XML format" (https://libvirt.org/formatdomain.html).
package libvirt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// patience is the time that libvirt may take to answer. A remote daemon (qemu+ssh) that asks for
// a password would wait forever.
const patience = 30 * time.Second

// virsh runs the virsh program.
type virsh struct {
	launcher launch.Launcher
	program  string
	uri      string // "" for virsh's default
}

func newVirsh(l launch.Launcher, uri string) (virsh, error) {
	program, err := launch.FindProgram("virsh")
	if errors.Is(err, fs.ErrNotExist) {
		err = hint.Wrap(err, launch.Install("virsh"))
	}
	return virsh{l, program, uri}, err
}

// run runs one virsh command and returns its output. The error is in libvirt's words.
func (v virsh) run(ctx context.Context, command ...string) (string, error) {
	args := []string{"--quiet"}
	if v.uri != "" {
		args = append(args, "--connect", v.uri)
	}
	var out, said bytes.Buffer
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSilent)
	defer cancel()
	// explain expects English messages. The directory / always exists.
	status, err := launch.Run(ctx, v.launcher, launch.Command{Path: v.program, Args: append(args, command...), Dir: "/",
		Env: append(os.Environ(), "LC_ALL=C"), Stdout: &out, Stderr: &said})
	switch {
	case err != nil:
		return "", err
	case status.Signal != nil:
		return "", fmt.Errorf("virsh was terminated by a signal (%v)", status.Signal)
	case status.Code != 0:
		return "", v.explain(words(said.String()))
	}
	return out.String(), nil
}

var errSilent = hint.Wrap(fmt.Errorf("libvirt did not answer within %v", patience), "try virsh list by hand: it may ask for a password")

// words joins virsh's error messages in one line.
func words(said string) string {
	var all []string
	for line := range strings.Lines(said) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "error: "); line != "" {
			all = append(all, strings.TrimSuffix(line, "."))
		}
	}
	if len(all) == 0 {
		return "virsh failed without a message"
	}
	return strings.Join(all, ": ")
}

// explanations maps libvirt's messages to hints. The first match counts.
var explanations = []struct{ words, hint string }{
	{"Permission denied", "start plinth as root, or as a member of the group libvirt"},
	{"authentication", "start plinth as root, or as a member of the group libvirt"},
	{"read only", "connect through a socket that allows changes, not libvirt-sock-ro"},
	{"read-only", "connect through a socket that allows changes, not libvirt-sock-ro"},
	{"failed to connect", "start libvirt (systemctl start libvirtd, or virtqemud), or give another URI with --libvirt, such as qemu:///system"},
}

func (v virsh) explain(said string) error {
	err := errors.New(said)
	for _, e := range explanations {
		if strings.Contains(said, e.words) {
			return hint.Wrap(err, e.hint)
		}
	}
	return err
}
