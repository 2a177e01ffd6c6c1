// Package reachtest makes hosts with a real OpenSSH server, for tests that reach them over ssh.
//
// Each host has its own network, process, mount and UTS namespaces: its own address, hostname,
// accounts, sudoers, and its own empty /root, /home, /tmp, /var/tmp and /usr/local/bin. Nothing of
// this machine is changed, and no namespace has a name: all of them disappear with their
// processes, which end with the test, even if it is killed. A program that uses the package calls
// launch.GuardMain and Main first.
package reachtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// Net is a network of hosts, and the client that reaches them.
type Net struct {
	// SSH is a program that behaves like ssh, in the client's network, with a configuration of its
	// own, not the user's. It reaches each host by its name.
	SSH string

	t      testing.TB
	dir    string // keys, configuration, and what the hosts print
	hub    int    // a process in the client's network
	mu     sync.Mutex
	hosts  map[string]*Host
	extra  []string // lines that come first in the configuration
	nextIP int
}

// New makes a network without hosts.
func New(t testing.TB) *Net {
	t.Helper()
	hosttest.NeedRoot(t)
	for _, program := range []string{"sshd", "ssh", "ssh-keygen", "ip", "unshare", "nsenter"} {
		if _, err := launch.FindProgram(program); err != nil {
			missing(t, program)
		}
	}
	n := &Net{t: t, dir: hosttest.OpenDir(t), hosts: map[string]*Host{}, nextIP: 2}
	hub := n.start("hub", []string{"--net"}, `ip link set lo up
ip link add br0 type bridge
ip addr add 10.99.0.1/24 dev br0
ip link set br0 up
echo ready
exec sleep infinity`, "ready")
	n.hub = hub.PID()
	n.keygen("client")
	n.SSH = filepath.Join(n.dir, "ssh")
	n.write("ssh", fmt.Sprintf("#!/bin/sh\nexec nsenter --net=/proc/%d/ns/net ssh -F %s/config \"$@\"\n", n.hub, n.dir), 0o755)
	n.write("known_hosts", "", 0o600)
	n.configure()
	return n
}

// Inside returns the words before a command that runs it in the client's network.
func (n *Net) Inside() []string {
	return []string{"nsenter", fmt.Sprintf("--net=/proc/%d/ns/net", n.hub), "--"}
}

// missing skips a test; in CI, where every test must run, it fails.
func missing(t testing.TB, program string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("needs " + program)
	}
	t.Skip("needs " + program)
}

// start runs a shell script in new namespaces, and waits until it prints ready. The script ends with
// the test.
func (n *Net) start(name string, namespaces []string, script, ready string) launch.Process {
	n.t.Helper()
	unshare, err := launch.FindProgram("unshare")
	if err != nil {
		n.t.Fatal(err)
	}
	said := &output{awaited: ready, seen: make(chan struct{})}
	p, err := launch.NewLocal().Start(launch.Command{Path: unshare, Dir: "/", Stop: syscall.SIGKILL,
		Args:   append(namespaces, "sh", "-ec", script),
		Env:    []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"},
		Stdout: said, Stderr: said})
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() {
		_ = p.Stop()
		if n.t.Failed() {
			n.t.Logf("%s printed: %s", name, said)
		}
	})
	select {
	case <-said.seen:
	case <-p.Done():
		n.t.Fatalf("%s ended at once: %s", name, said)
	case <-time.After(time.Minute):
		n.t.Fatalf("%s did not start: %s", name, said)
	}
	return p
}

// output keeps what is written, and signals the awaited text.
type output struct {
	awaited string
	seen    chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
	once sync.Once
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if strings.Contains(o.text.String(), o.awaited) {
		o.once.Do(func() { close(o.seen) })
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (n *Net) write(name, text string, mode os.FileMode) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, name), []byte(text), mode); err != nil {
		n.t.Fatal(err)
	}
}

func (n *Net) read(name string) string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		n.t.Fatal(err)
	}
	return string(text)
}

// keygen makes the key pair name and name.pub.
func (n *Net) keygen(name string) {
	n.t.Helper()
	_ = os.Remove(filepath.Join(n.dir, name))
	if text, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", filepath.Join(n.dir, name)).CombinedOutput(); err != nil {
		n.t.Fatalf("ssh-keygen: %v: %s", err, text)
	}
}

// Configure adds lines to the client's ssh configuration, before those of all hosts: ssh uses the
// first value that it finds.
func (n *Net) Configure(lines ...string) {
	n.t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.extra = append(n.extra, lines...)
	n.configure()
}

func (n *Net) configure() {
	n.t.Helper()
	var b strings.Builder
	for _, line := range n.extra {
		fmt.Fprintln(&b, line)
	}
	for name, h := range n.hosts {
		fmt.Fprintf(&b, "Host %s\n  HostName %s\n", name, h.Address)
	}
	fmt.Fprintf(&b, "Host *\n  IdentityFile %[1]s/client\n  IdentitiesOnly yes\n  IdentityAgent none\n"+
		"  UserKnownHostsFile %[1]s/known_hosts\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n", n.dir)
	n.write("config", b.String(), 0o600)
}

// Delay puts d between the client and a host, in each direction, without limiting the rate.
func (n *Net) Delay(h *Host, d time.Duration) {
	n.t.Helper()
	self, err := os.Executable()
	if err != nil {
		n.t.Fatal(err)
	}
	n.Configure("Host "+h.Name, fmt.Sprintf("  ProxyCommand %s %s %%h %%p %s", self, relayName, d))
}

// Forget removes all host keys that the client knows.
func (n *Net) Forget() {
	n.t.Helper()
	n.write("known_hosts", "", 0o600)
}

// RefuseKey makes another key pair for the client, which no host accepts.
func (n *Net) RefuseKey() {
	n.t.Helper()
	_ = os.Remove(filepath.Join(n.dir, "client.pub"))
	n.keygen("client")
}

// In runs a shell script in the client's network and returns its output.
func (n *Net) In(script string) string {
	n.t.Helper()
	text, err := exec.Command("nsenter", "--net=/proc/"+strconv.Itoa(n.hub)+"/ns/net", "sh", "-ec", script).CombinedOutput()
	if err != nil {
		n.t.Fatalf("%s: %v: %s", script, err, text)
	}
	return string(text)
}

// Main does not return if this process is a relay of Delay.
func Main() {
	if len(os.Args) == 5 && os.Args[1] == relayName {
		delay, err := time.ParseDuration(os.Args[4])
		if err == nil {
			err = relay(os.Args[2]+":"+os.Args[3], delay, os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}
