package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"plinth/internal/engine/postgres/install"
	"plinth/internal/host/launch"
	"plinth/internal/tune/libvirt/libvirttest"
)

// condition adds [root] to the conditions of scripts. In CI, tests that need root must not be
// skipped.
func condition(name string) (bool, error) {
	if name != "root" {
		return false, fmt.Errorf("unknown condition %s", name)
	}
	return os.Geteuid() == 0 || os.Getenv("CI") != "", nil
}

// tmpfs mounts a filesystem in memory until the script ends: tmpfs DIR 100m, or tmpfs DIR ro for
// a read-only one.
func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs DIR SIZE|ro")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.Mkdir(dir, 0o755))
	var flags uintptr
	options := "mode=755,size=" + args[1]
	if args[1] == "ro" {
		flags, options = syscall.MS_RDONLY, "mode=755"
	}
	ts.Check(syscall.Mount("plinth-test", dir, "tmpfs", flags, options))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// server starts a PostgreSQL server that plinth did not create, until the script ends. It listens
// on the loopback address, where the roles loader and still (read-only) need the password
// s3cretPW. It sets PORT and URI.
func server(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: server")
	}
	programs, err := install.FindPrograms(0, "")
	ts.Check(err)
	user, err := launch.ServerUser()
	ts.Check(err)
	dir, err := os.MkdirTemp("/tmp", "plinth-server-")
	ts.Check(err)
	ts.Defer(func() { _ = os.RemoveAll(dir) })
	if user != nil {
		ts.Check(os.Chown(dir, user.UID, user.GID))
	}
	data, launcher := filepath.Join(dir, "data"), launch.NewLocal()
	initdb, err := launcher.Start(launch.Command{
		Path: programs.Initdb, Dir: dir, User: user,
		Args: []string{"-D", data, "-U", "boss", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "-E", "UTF8", "--locale=C"},
	})
	ts.Check(err)
	if status, err := initdb.Wait(); err != nil || status.Code != 0 {
		ts.Fatalf("initdb: %v, %v", status, err)
	}
	port := freePort(ts)
	running, err := launcher.Start(launch.Command{
		Path: programs.Postgres, Dir: dir, User: user,
		Args: []string{"-D", data, "-h", "127.0.0.1", "-p", fmt.Sprint(port), "-k", dir, "-c", "shared_buffers=16MB"},
	})
	ts.Check(err)
	ts.Defer(func() { _ = running.Stop() })
	ts.Setenv("PORT", fmt.Sprint(port))
	ts.Setenv("SOCKETS", dir)
	ts.Setenv("URI", fmt.Sprintf("postgresql://loader:s3cretPW@127.0.0.1:%d/postgres", port))
	conn := boss(ts)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(context.Background(), `
		CREATE ROLE loader LOGIN CREATEDB PASSWORD 's3cretPW';
		CREATE ROLE still LOGIN CREATEDB PASSWORD 's3cretPW';
		ALTER ROLE still SET default_transaction_read_only = on`)
	ts.Check(err)
}

// boss returns a session of the server's superuser, once the server accepts connections.
func boss(ts *testscript.TestScript) *pgx.Conn {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%s user=boss dbname=postgres", ts.Getenv("SOCKETS"), ts.Getenv("PORT")))
		if err == nil {
			return conn
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("the server of the test does not start: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// databases prints the names of the server's databases.
func databases(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: databases")
	}
	conn := boss(ts)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(context.Background(), "SELECT datname::text FROM pg_database")
	ts.Check(err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	ts.Check(err)
	for _, name := range names {
		_, err := fmt.Fprintln(ts.Stdout(), name)
		ts.Check(err)
	}
}

func freePort(ts *testscript.TestScript) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// redisServer starts a Redis server that plinth did not create, until the script ends. It listens
// on the loopback address and needs the password s3cretPW. It sets REDIS to its host and port.
// Arguments are additional directives: redis --appendonly yes.
func redisServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: redis DIRECTIVES...")
	}
	program, err := exec.LookPath("redis-server")
	ts.Check(err)
	dir, err := os.MkdirTemp("/tmp", "plinth-redis-")
	ts.Check(err)
	ts.Defer(func() { _ = os.RemoveAll(dir) })
	port := freePort(ts)
	server := exec.Command(program, append([]string{"--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--requirepass", "s3cretPW", "--dir", dir}, args...)...)
	ts.Check(server.Start())
	ts.Defer(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	ts.Setenv("REDIS", address)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return
		}
	}
	ts.Fatalf("the Redis of the test does not start")
}

// defineDomain starts a libvirtd with its test driver, at $LIBVIRT, and defines one of its
// fixtures there: domain FIXTURE.
func defineDomain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: domain FIXTURE")
	}
	d, err := libvirttest.Start()
	ts.Check(err)
	ts.Defer(d.Stop)
	ts.Setenv("LIBVIRT", d.URI())
	definition, err := filepath.Abs(filepath.Join("..", "tune", "libvirt", "testdata", args[0]+".xml"))
	ts.Check(err)
	if out, err := exec.Command("virsh", "--connect", d.URI(), "define", definition).CombinedOutput(); err != nil {
		ts.Fatalf("virsh define: %v: %s", err, out)
	}
}

// loop creates a block device until the script ends: loop DISK 512MiB sets the variable DISK to
// its path. Its filesystems are unmounted at the end.
func loop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: loop VARIABLE SIZE")
	}
	file := ts.MkAbs(args[0] + ".disk")
	out, err := exec.Command("truncate", "--size="+args[1], file).CombinedOutput()
	if err == nil {
		out, err = exec.Command("losetup", "--find", "--show", file).CombinedOutput()
	}
	if err != nil {
		ts.Fatalf("%v: %s", err, out)
	}
	device := strings.TrimSpace(string(out))
	ts.Setenv(args[0], device)
	ts.Defer(func() {
		_ = exec.Command("umount", "--all-targets", device).Run() // most are not mounted
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			ts.Logf("losetup: %v: %s", err, out)
		}
		_ = os.Remove(file)
	})
}

// sql runs a statement as the superuser of the script's server.
func sql(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql STATEMENT")
	}
	conn := boss(ts)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err := conn.Exec(context.Background(), args[0])
	ts.Check(err)
}

// busy keeps one session of a database busy until the script ends. It reads a table: a server
// does not count transactions that touch none.
func busy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: busy DATABASE")
	}
	ctx, cancel := context.WithCancel(context.Background())
	config, err := pgx.ParseConfig("host=" + ts.Getenv("SOCKETS") + " port=" + ts.Getenv("PORT") + " user=boss dbname=" + args[0])
	ts.Check(err)
	conn, err := pgx.ConnectConfig(ctx, config)
	ts.Check(err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_, _ = conn.Exec(ctx, "SELECT count(*) FROM pg_class, pg_sleep(0.002)")
		}
	}()
	ts.Defer(func() {
		cancel()
		<-done
		_ = conn.Close(context.Background())
	})
}
