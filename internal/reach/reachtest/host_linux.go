package reachtest

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"plinth/internal/host/launch"
)

// Host is a machine with an OpenSSH server.
type Host struct {
	Name, Address string

	net  *Net
	main launch.Process // in all of its namespaces, except that of processes
}

// Setup says how a host differs from the usual one.
type Setup struct {
	Users   []string // accounts besides root, with the shell /bin/sh and a home in /home
	Shell   string   // the login shell of all accounts, also root's; /bin/sh if empty
	Sudoers string   // lines of /etc/sudoers, after those that Debian has
	SSHD    string   // lines of sshd's configuration, before the usual ones
	Prepare string   // a shell script that root runs on the host before sshd starts
}

// Host makes a host and starts its sshd. The client knows its host key, and every account accepts
// the client's key.
func (n *Net) Host(name string, s Setup) *Host {
	n.t.Helper()
	n.keygen("host-" + name)
	n.mu.Lock()
	h := &Host{Name: name, Address: fmt.Sprintf("10.99.0.%d", n.nextIP), net: n}
	n.nextIP++
	n.hosts[name] = h
	n.configure()
	n.write("known_hosts", n.read("known_hosts")+h.Address+" "+n.read("host-"+name+".pub"), 0o600)
	n.mu.Unlock()
	n.write("setup-"+name, s.script(n, h), 0o755)
	h.main = n.start(name, []string{"--net", "--uts", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"},
		"exec sh -e "+n.dir+"/setup-"+name, "Server listening on ")
	peer := fmt.Sprintf("v%s", strings.ReplaceAll(h.Address, "10.99.0.", ""))
	n.In(fmt.Sprintf("ip link add %[1]s type veth peer name eth0 netns %[2]d && ip link set %[1]s master br0 up", peer, h.main.PID()))
	h.Run(fmt.Sprintf("ip addr add %s/24 dev eth0 && ip link set eth0 up", h.Address))
	return h
}

// script sets up the host in its new namespaces and becomes its sshd.
func (s Setup) script(n *Net, h *Host) string {
	shell := s.Shell
	if shell == "" {
		shell = "/bin/sh"
	}
	var accounts strings.Builder
	for i, user := range s.Users {
		fmt.Fprintf(&accounts, "account %s %d %s\n", user, 4001+i, shell)
	}
	return fmt.Sprintf("NAME=%s KEYS=%s ROOTSHELL=%s\n", h.Name, n.dir, shell) + machine + accounts.String() +
		"cat >>sudoers <<'END'\n" + s.Sudoers + "\nEND\ncat >config <<'END'\n" + s.SSHD + sshd +
		"(\ncd /\n" + s.Prepare + "\n)\n" + serve
}

// machine gives a host its own files, in namespaces that are new. What it has of this machine's
// /etc is a copy. It has none of the storage that other tests have set up: that would keep their disks
// busy.
const machine = `
mount -t proc proc /proc
grep -o ' /run/plinth/[^ ]*' /proc/self/mounts | sort -r | while read -r mounted; do umount -l "$mounted" || true; done
hostname "$NAME"
ip link set lo up
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir -p /mnt/sshd /mnt/plinth /mnt/mount
cd /mnt/plinth
cp "$KEYS/host-$NAME" key
cp "$KEYS/client.pub" authorized_keys
chmod 600 key
echo "127.0.0.1 localhost $NAME" >hosts
cp /etc/passwd /etc/shadow /etc/group /etc/sudoers .
sed -i "s|^\(root:.*\):[^:]*$|\1:$ROOTSHELL|" passwd
sed -i 's|^root:[^:]*:|root:*:|' shadow
sed -i '/^@includedir/d' sudoers
mount --move /mnt /run
for d in /root /home /usr/local/bin; do mount -t tmpfs -o mode=755 tmpfs $d; done
for d in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs $d; done
account() { # account NAME ID SHELL
	echo "$1:x:$2:$2::/home/$1:$3" >>passwd
	echo "$1:*:19000:0:99999:7:::" >>shadow
	echo "$1:x:$2:" >>group
	mkdir -m 700 "/home/$1"
	chown "$2:$2" "/home/$1"
}
`

// sshd is the usual configuration of a host's server; what comes before it takes precedence.
const sshd = `
ListenAddress 0.0.0.0
HostKey /run/plinth/key
AuthorizedKeysFile /run/plinth/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UseDNS no
MaxStartups 100
END
chmod 440 sudoers
for f in passwd shadow group sudoers hosts; do mount --bind "/run/plinth/$f" "/etc/$f"; done
`

// serve becomes the host's sshd.
const serve = `
cd /
sshd=$(command -v sshd)
exec "$sshd" -D -e -f /run/plinth/config
`

// Run runs a shell script as root on the host and returns its output, without the last line break.
func (h *Host) Run(script string) string {
	h.net.t.Helper()
	text, err := h.Try(script)
	if err != nil {
		h.net.t.Fatalf("%s on %s: %v: %s", script, h.Name, err, text)
	}
	return text
}

// Write writes a file on the host, with mode 0600.
func (h *Host) Write(path string, data []byte) {
	h.net.t.Helper()
	command := h.command("umask 077; cat >'" + path + "'")
	command.Stdin = bytes.NewReader(data)
	if text, err := command.CombinedOutput(); err != nil {
		h.net.t.Fatalf("cannot write %s on %s: %v: %s", path, h.Name, err, text)
	}
}

// Try is Run for a script that may fail.
func (h *Host) Try(script string) (string, error) {
	text, err := h.command(script).CombinedOutput()
	return strings.TrimSuffix(string(text), "\n"), err
}

// command returns what runs a shell script in the host's namespaces.
func (h *Host) command(script string) *exec.Cmd {
	pid := strconv.Itoa(h.main.PID())
	return exec.Command("nsenter", "-t", pid, "--net", "--uts", "--mount",
		"--pid=/proc/"+pid+"/ns/pid_for_children", "sh", "-ec", script)
}

// Kill ends the host and all of its processes at once, as a power failure does, except that the
// client's connections are reset.
func (h *Host) Kill() { _ = h.main.Stop() }

// Cut lets no more packets reach the host or leave it, without a word to either side.
func (h *Host) Cut() {
	h.net.t.Helper()
	h.Run("ip link set eth0 down")
}

// Mend lets packets pass again after Cut.
func (h *Host) Mend() {
	h.net.t.Helper()
	h.Run("ip link set eth0 up")
}

// NewKey gives the host another host key, which the client does not know.
func (h *Host) NewKey() {
	h.net.t.Helper()
	h.Run("rm /run/plinth/key && ssh-keygen -q -t ed25519 -N '' -f /run/plinth/key && kill -HUP 1")
}
