//go:build linux

package redis

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
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/conninfo"
	"plinth/internal/engine/life"
	"plinth/internal/experiment"
)

// certificate creates a key and a self-signed certificate for 127.0.0.1.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	dir := testDir(t)
	for name, block := range map[string]*pem.Block{"cert": {Type: "CERTIFICATE", Bytes: cert}, "key": {Type: "PRIVATE KEY", Bytes: encoded}} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
		if user := testUser(t); user != nil {
			must(t, os.Chown(path, user.UID, user.GID))
		}
	}
	return filepath.Join(dir, "cert"), filepath.Join(dir, "key")
}

// TestTLS connects by rediss:// to a server whose certificate is trusted. Numbers that count losses are written to the database
// from which they are read.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	port, err := freePort()
	must(t, err)
	startStranger(t, oneInstalled(t), "--tls-port", fmt.Sprint(port), "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no")
	connect := fmt.Sprintf("rediss://loader:%s@127.0.0.1:%d/0", strangerPasswordURI, port)
	must(t, life.Poll(t.Context(), time.Minute, func() bool {
		err = Kind{}.Probe(t.Context(), smallExperiment(), experiment.Environment{Name: "there", Connect: conninfo.Conninfo(connect), Disposable: true})
		return err == nil || !strings.Contains(err.Error(), "deadline exceeded") // a handshake on a busy machine may take longer than plinth waits
	}))
	mustRefuse(t, err, "certificate", "check that the server is running")
	c := newConnected(t, connect+"?cacert="+cert)
	must(t, c.Start(t.Context()))
	must(t, c.Load(t.Context(), nil))
	e, err := c.Describe(t.Context())
	must(t, err)
	if e.Transport != "tls" || e.Dataset.Rows != smallKeys || e.Elsewhere {
		t.Errorf("described as %+v", e)
	}
	must(t, c.Remove(t.Context()))

	third := newConnected(t, strings.TrimSuffix(connect, "0")+"3?cacert="+cert)
	defer third.Close()
	w, err := openWitness(t.Context(), third.Options, life.Dialer(), third.witnessKey(0))
	must(t, err)
	defer w.Close()
	must(t, w.Write(t.Context(), 1))
	numbers, err := third.numbers(t.Context(), third.witnessKey(0))
	must(t, err)
	if !slices.Equal(numbers, []int64{1}) {
		t.Errorf("numbers %v", numbers)
	}
}
