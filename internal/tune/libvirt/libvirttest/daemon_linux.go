// Package libvirttest starts a libvirtd for tests.
package libvirttest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plinth/internal/host/launch"
)

// Daemon is a libvirtd for tests, with libvirt's test driver: its domains exist only in memory,
// and none ever runs. It forgets them when its last connection ends, so Daemon keeps one open.
type Daemon struct {
	dir     string
	process *exec.Cmd
	kept    *exec.Cmd      // the open connection
	keeps   io.WriteCloser // its standard input
}

// Start starts a libvirtd without privileges: it does not touch the machine.
func Start() (*Daemon, error) {
	program, err := launch.FindProgram("libvirtd")
	if err != nil {
		return nil, err
	}
	d := &Daemon{}
	if d.dir, err = os.MkdirTemp("/var/tmp", "plinth-libvirt"); err != nil {
		return nil, err
	}
	if err := errors.Join(d.start(program), d.keepOpen()); err != nil {
		d.Stop()
		return nil, err
	}
	return d, nil
}

// URI returns the connection URI of the test driver.
func (d *Daemon) URI() string { return "test+unix:///default?socket=" + d.socket() }

func (d *Daemon) socket() string { return filepath.Join(d.dir, "libvirt", "libvirt-sock") }

// Stop stops the daemon and removes its files.
func (d *Daemon) Stop() {
	if d.kept != nil {
		_ = d.keeps.Close()
		_ = d.kept.Wait()
	}
	if d.process != nil {
		_ = d.process.Process.Kill()
		_ = d.process.Wait()
	}
	_ = os.RemoveAll(d.dir)
}

func (d *Daemon) start(program string) error {
	dir := d.dir
	config := filepath.Join(dir, "libvirtd.conf")
	text := fmt.Sprintf("unix_sock_dir = %q\nauth_unix_ro = \"none\"\nauth_unix_rw = \"none\"\nlog_outputs = \"3:stderr\"\n", dir+"/libvirt")
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return err
	}
	p := exec.Command(program, "--config", config, "--pid-file", dir+"/pid")
	p.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_CACHE_HOME=" + dir, "XDG_DATA_HOME=" + dir}
	p.Dir = "/"
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		const nobody = 65534
		p.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			return err
		}
	}
	if err := p.Start(); err != nil {
		return err
	}
	d.process = p
	for late := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(d.socket()); err == nil {
			return nil
		}
		if time.Now().After(late) {
			return errors.New("libvirtd makes no socket")
		}
	}
}

// keepOpen opens the connection that keeps the domains.
func (d *Daemon) keepOpen() error {
	if d.process == nil {
		return nil // libvirtd did not start
	}
	v := exec.Command("virsh", "--connect", d.URI())
	in, err := v.StdinPipe()
	if err != nil {
		return err
	}
	out, err := v.StdoutPipe()
	if err != nil {
		return err
	}
	if err := v.Start(); err != nil {
		return err
	}
	d.kept, d.keeps = v, in
	if _, err := io.WriteString(in, "list --all --name\n"); err != nil {
		return err
	}
	answer := make([]byte, 1<<12)
	for said := ""; !strings.Contains(said, "\ntest\n"); { // the driver's built-in domain
		n, err := out.Read(answer)
		if err != nil {
			return fmt.Errorf("virsh ended: %w: %q", err, said)
		}
		said += string(answer[:n])
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return nil
}
