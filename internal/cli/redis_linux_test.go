package cli

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// redisServer starts a Redis that plinth did not make, until the script ends. It listens on
// loopback and needs the password s3cretPW. It sets REDIS to its host and port. What
// follows are more directives: redis --appendonly yes.
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
