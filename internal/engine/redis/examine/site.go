package examine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine/redis/client"
	"plinth/internal/host"
	"plinth/internal/host/proc"
)

// Site is where a server keeps its files, as seen from this machine.
type Site struct {
	Local bool // the server runs on this machine
	// Places are its directories by role: "data", and "aof" if its append-only files (7.0 and
	// later) are on another filesystem. Only those visible from here; those of a container are below
	// /proc/PID/root (host.PathOf).
	Places map[string]string
	CPUs   string // the CPUs that it may run on, "0-3"; "" if unknown
	PID    int    // 0 if unknown
	Files  int64  // how many files it may have open (the hard limit); 0 if unknown
	Gaps   []Gap
}

// startDelay is by how many seconds the age of a server's process may differ from what it
// reports. The time since the request is added to the upper bound: on a busy machine it may be
// seconds.
const startDelay = 5

// Locate finds a server's files on this machine. A server behind a socket is on the same machine.
// An address proves little: it may lead to a tunnel or a forwarded port. A server reached by
// address is local if it has the other end of plinth's connection (Find). If plinth could not ask
// for that, it is local only if a process with its PID exists here, with the age that it reports.
func Locate(f Facts) Site {
	s := Site{Places: map[string]string{}, PID: f.Process.PID}
	pid, _ := strconv.Atoi(f.Info["process_id"])
	if s.PID == 0 && !errors.Is(f.Process.Err, host.ErrNoProcess) && pid > 0 && isServer(pid, f) {
		s.PID = pid
	}
	s.Local = f.Transport == "socket" || s.PID != 0
	switch {
	case s.PID != 0:
		s.CPUs, s.Files = statusOf(s.PID)
	case s.Local:
		s.Gaps = append(s.Gaps, Gap{"the server's process", fmt.Sprintf("process %d of this machine is not the server, which may run in a container", pid)})
	case f.Process.Err != nil && !errors.Is(f.Process.Err, host.ErrNoProcess):
		s.gap("whether the server runs on this machine", f.Process.Err)
	}
	dir, known := f.Setting("dir")
	switch {
	case s.Local && !known:
		s.Gaps = append(s.Gaps, Gap{"the location of the server's files", "the setting dir is not visible"})
	case s.PID != 0:
		s.place("data", dir)
		if aof, there := f.Setting("appenddirname"); there && s.Places["data"] != "" {
			s.placeOfItsOwn("aof", filepath.Join(dir, aof))
		}
	}
	return s
}

// place records a directory of the server.
func (s *Site) place(role, path string) {
	there, err := host.PathOf(s.PID, path)
	if err == nil {
		_, err = os.Stat(there)
	}
	if err != nil {
		s.gap("the filesystem that holds "+role, err)
		return
	}
	s.Places[role] = there
}

func (s *Site) gap(what string, err error) {
	why := err.Error()
	if errors.Is(err, fs.ErrPermission) {
		why += "; root can read it"
	}
	s.Gaps = append(s.Gaps, Gap{what, why})
}

// placeOfItsOwn records a directory that is on another filesystem than the data: it is a mount point
// or a symbolic link.
func (s *Site) placeOfItsOwn(role, path string) {
	path, err := host.PathOf(s.PID, path)
	if err == nil && host.PathInside(path) == path {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return // it has not been created yet
	}
	of, err := host.FilesystemOf(path)
	data, errData := host.FilesystemOf(s.Places["data"])
	if err == nil && errData == nil && of != data {
		s.Places[role] = path
	}
}

// Process is a process of this machine, or why none was found; neither if none was looked for.
type Process struct {
	PID int
	Err error
}

// Find returns the server's process on this machine: the one that listens on the socket, or has the
// other end of plinth's connection. Redis before 6.2 does not say which that is.
func Find(ctx context.Context, server *client.Session, info client.Info) (p Process) {
	pid, err := strconv.Atoi(info["process_id"])
	if err != nil {
		return Process{Err: err}
	}
	if server.Options.Network == "unix" {
		p.PID, p.Err = listener(ctx, server.Options.Addr)
		if inner, err := host.InnerPID(p.PID); p.Err == nil && (err != nil || inner != pid) {
			return Process{Err: fmt.Errorf("process %d, which listens on the socket, is not the server", p.PID)}
		}
		return p
	}
	err = server.Use(ctx, func(c *goredis.Client) error {
		connection := c.Conn() // it is open while its other end is looked for
		defer func() { _ = connection.Close() }()
		text, err := connection.Do(ctx, "CLIENT", "INFO").Text()
		if err != nil {
			return err
		}
		local, errLocal := netip.ParseAddrPort(wordOf(text, "laddr"))
		remote, errRemote := netip.ParseAddrPort(wordOf(text, "addr"))
		if err := errors.Join(errLocal, errRemote); err != nil {
			return err
		}
		p.PID, p.Err = host.End{PID: pid, Local: unmapped(local), Remote: unmapped(remote)}.Process()
		return nil
	})
	if err != nil {
		p.Err = err
	}
	return p
}

func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

func listener(ctx context.Context, socket string) (int, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	return host.Listener(conn)
}

// wordOf returns a value of "id=3 addr=127.0.0.1:40232 laddr=127.0.0.1:6379 name=".
func wordOf(text, name string) string {
	for word := range strings.FieldsSeq(text) {
		if value, found := strings.CutPrefix(word, name+"="); found {
			return value
		}
	}
	return ""
}

// isServer reports whether a process of this machine is the server, by its name and age.
func isServer(pid int, f Facts) bool {
	process, err := host.ReadProcess(pid)
	if err != nil {
		return false
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return false
	}
	up, _, _ := strings.Cut(string(uptime), " ")
	boot, errBoot := strconv.ParseFloat(up, 64)
	age, errAge := strconv.ParseFloat(f.Info["uptime_in_seconds"], 64)
	older := boot - float64(process.Started)/proc.Ticks - age // than the server reports
	var since float64
	if !f.Asked.IsZero() {
		since = time.Since(f.Asked).Seconds()
	}
	return strings.Contains(string(process.Name), f.Program) && errBoot == nil && errAge == nil &&
		older >= -startDelay && older <= startDelay+since
}

// statusOf returns the CPUs that a process may run on, and its limit of open files.
func statusOf(pid int) (cpus string, files int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // an unreadable file leaves the values empty
	limits, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	for _, l := range proc.Limits(string(limits)) {
		if l.Name == "Max open files" {
			files, _ = strconv.ParseInt(l.Hard, 10, 64)
		}
	}
	return proc.Field(string(status), "Cpus_allowed_list"), files
}
