package libvirt

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host"
	"plinth/internal/host/hosttest"
)

func TestMain(m *testing.M) {
	host.GuardMain()
	code := m.Run()
	if daemon.stop != nil {
		daemon.stop()
	}
	os.Exit(code)
}

// daemon is a libvirtd of these tests' own, with libvirt's test driver: its domains are
// in its memory, and none ever runs. It forgets them when its last connection ends, so
// one is held open.
var daemon struct {
	once sync.Once
	dir  string
	err  error
	stop func()
}

// uri is where the test driver answers.
func uri(t *testing.T) string {
	t.Helper()
	daemon.once.Do(func() { daemon.dir, daemon.stop, daemon.err = startDaemon() })
	if daemon.err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(daemon.err)
		}
		t.Skip(daemon.err)
	}
	return socketURI("libvirt-sock")
}

func socketURI(socket string) string {
	return "test+unix:///default?socket=" + filepath.Join(daemon.dir, "libvirt", socket)
}

func startDaemon() (dir string, stop func(), err error) {
	program, err := host.FindProgram("libvirtd")
	if err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp("/var/tmp", "plinth-libvirt"); err != nil {
		return "", nil, err
	}
	config := filepath.Join(dir, "libvirtd.conf")
	text := fmt.Sprintf("unix_sock_dir = %q\nauth_unix_ro = \"none\"\nauth_unix_rw = \"none\"\nlog_outputs = \"3:stderr\"\n", dir+"/libvirt")
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return "", nil, err
	}
	d := exec.Command(program, "--config", config, "--pid-file", dir+"/pid")
	d.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_CACHE_HOME=" + dir, "XDG_DATA_HOME=" + dir}
	d.Dir = "/"
	d.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 { // without privileges it touches nothing of the machine
		const nobody = 65534
		d.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			return "", nil, err
		}
	}
	var said strings.Builder
	d.Stderr = &said
	if err := d.Start(); err != nil {
		return "", nil, err
	}
	end := func() { _ = d.Process.Kill(); _ = d.Wait(); _ = os.RemoveAll(dir) }
	for late := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "libvirt", "libvirt-sock")); err == nil {
			break
		}
		if time.Now().After(late) {
			end()
			return "", nil, fmt.Errorf("libvirtd makes no socket: %s", said.String())
		}
	}
	daemon.dir = dir
	kept, err := keepOpen()
	if err != nil {
		end()
		return "", nil, err
	}
	return dir, func() { kept(); end() }, nil
}

// keepOpen is a connection that is held open.
func keepOpen() (closeIt func(), err error) {
	v := exec.Command("virsh", "--connect", socketURI("libvirt-sock"))
	in, err := v.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := v.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.Start(); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(in, "list --all --name\n"); err != nil {
		return nil, err
	}
	answer := make([]byte, 1<<12)
	for said := ""; !strings.Contains(said, "\ntest\n"); { // the driver's own domain
		n, err := out.Read(answer)
		if err != nil {
			return nil, fmt.Errorf("virsh ended: %w: %q", err, said)
		}
		said += string(answer[:n])
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return func() { _ = in.Close(); _ = v.Wait() }, nil
}

// sh runs virsh as an administrator does, and returns what it prints.
func sh(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("virsh", append([]string{"--quiet", "--connect", uri(t)}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("virsh %v: %v: %s", args, err, out)
	}
	return string(out)
}

var defined atomic.Int64

// define defines a domain of the test's own, by a fixture, under another name.
func define(t *testing.T, from string) *Domain {
	t.Helper()
	name := fmt.Sprintf("%s-%s-%d", from, t.Name(), defined.Add(1))
	text := strings.Replace(fixture(t, from), "<name>"+from+"</name>", "<name>"+name+"</name>", 1)
	path := filepath.Join(hosttest.OpenDir(t), "domain.xml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sh(t, "define", path)
	t.Cleanup(func() { sh(t, "undefine", name) })
	v, err := newVirsh(host.NewLocal(), uri(t))
	if err != nil {
		t.Fatal(err)
	}
	return &Domain{v, name}
}
