package examine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"plinth/internal/engine/postgres/client"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/host"
	"plinth/internal/host/proc"

	"github.com/jackc/pgx/v5"
)

// Site is where a server keeps its files, as seen from this machine.
type Site struct {
	Local bool // the server runs on this machine
	// Places are its directories by role: "data", "wal", "tablespace NAME". Only those visible
	// from here; those of a container are below /proc/PID/root (host.PathOf).
	Places map[string]string
	// CPUs is the list of CPUs its processes may run on ("0-3"), "" if unknown.
	CPUs string
	// PID is that of the server's first process; 0 if unknown.
	PID  int
	Gaps []Gap
}

// Locate finds a server's files on this machine. A server behind a socket is on the same machine.
// An address proves little: it may lead to a tunnel or a forwarded port, and an external address
// may belong to this machine. A server reached by address is local if one of its processes has the
// other end of plinth's connection (processOf). If no such process is seen, it is local only if its
// data directory exists here, with a postmaster.pid that has the port and the start time that the
// server reports.
func Locate(f Facts) Site {
	s := Site{Places: map[string]string{}}
	data, known := f.Setting("data_directory")
	pid, err := serverOf(data.Value, f)
	s.Local = f.Transport == "socket" || err == nil
	if err == nil && isServer(pid) {
		s.PID, s.CPUs = pid, allowedCPUs(pid)
	}
	switch {
	case !s.Local && !known:
		s.Gaps = append(s.Gaps, Gap{"whether the server runs on this machine", "only other roles can see data_directory", "pg_read_all_settings"})
	case !s.Local && (errors.Is(err, fs.ErrPermission) || f.process.unclear()):
		s.gap("whether the server runs on this machine", err)
	case !s.Local:
	case !known:
		s.Gaps = append(s.Gaps, Gap{"the location of the server's files", "only other roles can see data_directory", "pg_read_all_settings"})
	case err != nil && f.process.err != nil: // another server may have these directories here
		s.gap("the location of the server's files", f.process.err)
	default:
		s.place("data", data.Value)
		s.placeWAL(filepath.Join(data.Value, "pg_wal"))
		for _, t := range f.Tablespaces {
			s.place("tablespace "+t.Name, t.Path)
		}
	}
	return s
}

// place records a directory of the server. Without its process, a server in a container reports
// directories that do not exist here.
func (s *Site) place(role, path string) {
	path, err := s.find(path)
	if err != nil {
		s.gap("the filesystem that holds "+role, err)
		return
	}
	s.Places[role] = path
}

// placeWAL records the directory of the WAL, which may be a symbolic link.
func (s *Site) placeWAL(path string) {
	path, err := s.find(path)
	if err == nil && host.PathInside(path) == path {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		s.gap("the filesystem of pg_wal", err)
		return
	}
	s.Places["wal"] = path
}

// find returns the path here of what the server has at path.
func (s *Site) find(path string) (string, error) {
	if s.PID != 0 {
		return host.PathOf(s.PID, path)
	}
	_, err := os.Stat(path)
	return path, err
}

// gap records what could not be read, and that root could if permissions are the reason.
func (s *Site) gap(what string, err error) {
	role := ""
	if errors.Is(err, fs.ErrPermission) {
		role = "root"
	}
	s.Gaps = append(s.Gaps, Gap{what, err.Error(), role})
}

// startDelay is how many seconds the start time that a server reports may be after that of its
// lock file: it allocates its memory in between.
const startDelay = 60

// serverOf returns the PID of the server that reported f, or the one that it has in its container,
// if it runs on this machine and keeps its files in dir.
func serverOf(dir string, f Facts) (int, error) {
	if f.process.pid != 0 {
		return f.process.pid, nil
	}
	pid, err := postmasterOf(dir, f)
	switch {
	case err != nil && f.process.unclear():
		return 0, f.process.err
	case err == nil && errors.Is(f.process.err, host.ErrNoProcess) && isServer(pid):
		return 0, errOther // otherwise its connection would have been found
	}
	return pid, err
}

var errOther = errors.New(leftover.LockName + " belongs to another server")

// postmasterOf returns the PID in the lock file in dir, if the server that reported f may have
// written it.
func postmasterOf(dir string, f Facts) (pid int, err error) {
	if !filepath.IsAbs(dir) {
		return 0, fs.ErrNotExist
	}
	lock, err := leftover.ReadLock(dir)
	if err != nil {
		return 0, err
	}
	port, _ := f.Setting("port")
	if lock.Port != port.Value || math.Abs(float64(f.Started.Unix()-lock.Started)) > startDelay {
		return 0, errOther
	}
	return lock.PID, nil
}

// endSQL returns the ends of the connection as the server has them. A connection of a pooler through
// a socket has no addresses.
const endSQL = `SELECT pg_backend_pid(), coalesce(host(inet_server_addr()), ''), coalesce(inet_server_port(), 0),
	coalesce(host(inet_client_addr()), ''), coalesce(inet_client_port(), 0)`

// processOf returns the server's first process, as this machine has it: the one that listens on the
// socket, or the parent of the one that has the other end of plinth's connection.
func processOf(ctx context.Context, conn *pgx.Conn) (pid int, err error) {
	if socket, is := conn.PgConn().Conn().(*net.UnixConn); is {
		pid, err = host.Listener(socket)
	} else {
		pid, err = parentOf(ctx, conn)
	}
	if err == nil && !isServer(pid) { // a pooler listens on the socket
		err = fmt.Errorf("process %d is not PostgreSQL", pid)
	}
	if err != nil {
		return 0, err
	}
	return pid, nil
}

func parentOf(ctx context.Context, conn *pgx.Conn) (int, error) {
	var end host.End
	var local, remote string
	var localPort, remotePort uint16
	err := client.ReadOnly(ctx, conn, func(ctx context.Context) error {
		return client.One(ctx, conn, endSQL, &end.PID, &local, &localPort, &remote, &remotePort)
	})
	if err != nil {
		return 0, err
	}
	for _, side := range []struct {
		into    *netip.AddrPort
		address string
		port    uint16
	}{{&end.Local, local, localPort}, {&end.Remote, remote, remotePort}} {
		address, err := netip.ParseAddr(side.address)
		if err != nil {
			return 0, errors.New("plinth reaches the server through a pooler")
		}
		*side.into = netip.AddrPortFrom(address.Unmap(), side.port)
	}
	backend, err := end.Process()
	if err != nil {
		return 0, err
	}
	process, err := host.ReadProcess(backend)
	return process.Parent, err
}

// isServer reports whether a process is PostgreSQL: a PID of a container may belong to another process
// here.
func isServer(pid int) bool {
	process, err := host.ReadProcess(pid)
	name := string(process.Name)
	return err == nil && (name == "postgres" || name == "postmaster")
}

// allowedCPUs returns the CPUs that a process may run on.
// https://www.kernel.org/doc/html/latest/filesystems/proc.html (Cpus_allowed_list)
func allowedCPUs(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return ""
	}
	return proc.Field(string(text), "Cpus_allowed_list")
}
