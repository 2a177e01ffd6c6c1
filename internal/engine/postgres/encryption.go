package postgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"time"

	"plinth/internal/experiment"
)

// Files of the certificate of a server that is reached by TLS, in its data directory.
const (
	certificateFile = "plinth.crt"
	keyFile         = "plinth.key"
)

// encrypted reports whether the load reaches the server by TLS.
func (o *Own) encrypted() bool {
	return o.Access != nil && o.Environment.Transport == experiment.TransportTLS
}

// sslMode returns libpq's sslmode for the load generators. Nothing can be verified: the certificate is new
// for each server, and no one else listens at its address.
func (o *Own) sslMode() string {
	if o.encrypted() {
		return "require"
	}
	return "disable"
}

// hostLine returns the kind of line of pg_hba.conf that admits the load generators.
func (o *Own) hostLine() string {
	if o.encrypted() {
		return "hostssl"
	}
	return "host"
}

// encryption returns the settings of a server that is reached by TLS.
func (o *Own) encryption() map[string]string {
	if !o.encrypted() {
		return nil
	}
	return map[string]string{"ssl": "on", "ssl_cert_file": certificateFile, "ssl_key_file": keyFile}
}

// certificateYears is how long a certificate is valid: longer than any experiment takes.
const certificateYears = 10

// writeCertificate creates a key and a certificate of its own for a server that is reached by TLS: an
// elliptic curve, as in CloudNativePG, so that a new connection costs the same.
func (o *Own) writeCertificate() error {
	if !o.encrypted() {
		return nil
	}
	certificate, key, err := newCertificate(time.Now())
	if err == nil {
		err = o.write(keyFile, os.O_CREATE|os.O_EXCL, key)
	}
	if err == nil {
		err = o.write(certificateFile, os.O_CREATE|os.O_EXCL, certificate)
	}
	if err != nil {
		return fmt.Errorf("cannot create a certificate: %w", err)
	}
	return nil
}

// newCertificate returns a new self-signed certificate and its key in PEM.
func newCertificate(now time.Time) (certificate, key string, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "plinth"},
		NotBefore: now.AddDate(0, 0, -1), NotAfter: now.AddDate(certificateYears, 0, 0),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", err
	}
	encode := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return encode("CERTIFICATE", signed), encode("PRIVATE KEY", secret), nil
}
