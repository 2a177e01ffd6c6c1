package redisload

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plinth/internal/driver"
)

// certificate creates a self-signed certificate for 127.0.0.1, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	public, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", public), write("key.pem", "EC PRIVATE KEY", secret)
}

// freePort returns a loopback port on which no process listens at the moment.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	port := freePort(t)
	s := startServer(t, "--tls-port", fmt.Sprint(port), "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no")
	s.cli(t, "acl", "setuser", "ada", "on", ">geheim", "~p:*", "+@all")
	uri := fmt.Sprintf("rediss://ada@127.0.0.1:%d/2?prefix=p:&cacert=%s", port, cert)
	for _, c := range []struct {
		name   string
		change func(*driver.Job)
	}{
		{"set 300 kB", func(j *driver.Job) { requests(60)(j); j.Workload, j.Experiment.Payload = mix("set"), 300_000 }},
		{"get 300 kB", func(j *driver.Job) { requests(60)(j) }},
		{"pipeline", func(j *driver.Job) { requests(3000)(j); j.Experiment.Pipeline = 10 }},
		{"connect", func(j *driver.Job) { requests(60)(j); j.Experiment.Connect = "each" }},
	} {
		o := mustDrive(t, newJob(t, uri, func(j *driver.Job) {
			j.Env.Set = []string{"PLINTH_REDIS_PASSWORD=geheim"}
			c.change(j)
		}))
		if hits := o.Result.Hits; hits != nil && *hits < 1 {
			t.Errorf("%s: %g of the keys were found", c.name, *hits)
		}
		if o.Result.Transactions < 60 || o.Result.Failures != 0 {
			t.Errorf("%s: %+v, %+v", c.name, o.Result, o.Warnings)
		}
	}
	if _, err := drive(t, newJob(t, fmt.Sprintf("rediss://127.0.0.1:%d/0", port), nil)); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate was trusted: %v", err)
	}
}

func TestTCP(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	startServer(t, "--port", fmt.Sprint(port), "--bind", "127.0.0.1")
	for _, connect := range []string{"once", "each"} {
		o := mustDrive(t, newJob(t, fmt.Sprintf("redis://localhost:%d/1", port), func(j *driver.Job) {
			requests(5000)(j)
			j.Workload, j.Experiment.Connect, j.Cell.Clients, j.Cell.Threads = mix("incr"), connect, 30, 3
		}))
		if o.Result.Transactions != 5000 || o.Result.Failures != 0 {
			t.Errorf("%s: %+v", connect, o.Result)
		}
	}
}
