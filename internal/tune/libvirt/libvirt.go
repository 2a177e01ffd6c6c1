// Package libvirt tunes the domain of a virtual machine: which CPUs of the machine its
// vCPUs run on, which memory it gets, what it sees of the CPU. A domain is read and
// defined by the program virsh, as administrators do it, so that plinth needs no C
// library and reaches whatever virsh reaches.
//
// What is changed is the definition, which acts when the domain starts next. Only the
// elements that a knob is in are replaced, as libvirtxml writes them; all else stays as
// libvirt printed it. A whole document by way of libvirtxml was rejected: it drops what
// it does not know, such as what a newer libvirt has added.
//
// Source of the elements: libvirt, "Domain XML format"
// (https://libvirt.org/formatdomain.html).
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

// patience is how long libvirt may take for an answer. A daemon elsewhere (qemu+ssh)
// that asks for a password would wait for ever.
const patience = 30 * time.Second

// virsh runs the program of that name.
type virsh struct {
	launcher launch.Launcher
	program  string
	uri      string // "" for virsh's own choice
}

func newVirsh(l launch.Launcher, uri string) (virsh, error) {
	program, err := launch.FindProgram("virsh")
	if errors.Is(err, fs.ErrNotExist) {
		err = hint.Wrap(err, "install it: apt install libvirt-clients, dnf install libvirt-client")
	}
	return virsh{l, program, uri}, err
}

// run runs one command of virsh to its end and returns what it printed. The error is
// in libvirt's own words.
func (v virsh) run(ctx context.Context, command ...string) (string, error) {
	args := []string{"--quiet"}
	if v.uri != "" {
		args = append(args, "--connect", v.uri)
	}
	var out, said bytes.Buffer
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSilent)
	defer cancel()
	// In English, as its words are looked at. In a directory that is always there.
	status, err := launch.Run(ctx, v.launcher, launch.Command{Path: v.program, Args: append(args, command...), Dir: "/",
		Env: append(os.Environ(), "LC_ALL=C"), Stdout: &out, Stderr: &said})
	switch {
	case err != nil:
		return "", err
	case status.Signal != nil:
		return "", fmt.Errorf("virsh was ended by signal %v", status.Signal)
	case status.Code != 0:
		return "", v.explain(words(said.String()))
	}
	return out.String(), nil
}

var errSilent = hint.Wrap(fmt.Errorf("libvirt did not answer within %v", patience), "try virsh list by hand: it may ask for a password")

// words is what virsh says of an error, in one line.
func words(said string) string {
	var all []string
	for line := range strings.Lines(said) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "error: "); line != "" {
			all = append(all, strings.TrimSuffix(line, "."))
		}
	}
	if len(all) == 0 {
		return "virsh failed without a word"
	}
	return strings.Join(all, ": ")
}

// explanations are what can be done, by what libvirt says. The first one counts.
var explanations = []struct{ words, hint string }{
	{"Permission denied", "start plinth as root, or as a member of the group libvirt"},
	{"authentication", "start plinth as root, or as a member of the group libvirt"},
	{"read only", "connect by a socket that allows changes, not libvirt-sock-ro"},
	{"read-only", "connect by a socket that allows changes, not libvirt-sock-ro"},
	{"failed to connect", "start libvirt (systemctl start libvirtd, or virtqemud), or name another one: qemu:///system"},
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
