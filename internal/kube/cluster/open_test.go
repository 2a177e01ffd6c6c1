package cluster

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// config is a configuration of kubectl with two contexts.
func config(t *testing.T, server, authority, user string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	text := strings.NewReplacer("SERVER", server, "AUTHORITY", authority, "USER", user).Replace(`
apiVersion: v1
kind: Config
current-context: lab
clusters: [{name: c, cluster: {server: "SERVER"AUTHORITY}}]
users: [{name: u, user: {USER}}]
contexts:
- {name: lab, context: {cluster: c, user: u}}
- {name: production, context: {cluster: c, user: u, namespace: bench}}
- {name: broken, context: {cluster: none, user: u}}
`)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOpen(t *testing.T) {
	s := newServer(t, nil)
	t.Setenv("KUBECONFIG", config(t, s.URL, "", "token: secret"))
	for _, tc := range []struct {
		options         Options
		name, namespace string
	}{
		{Options{}, "lab", "default"},
		{Options{Context: "production"}, "production", "bench"},
		{Options{Context: "production", Namespace: "mine"}, "production", "mine"},
	} {
		c, err := Open(context.Background(), tc.options)
		if err != nil || c.Name != tc.name || c.Namespace != tc.namespace || c.Version != "v1.33.13" {
			t.Errorf("%+v: %+v, %v", tc.options, c, err)
		}
	}
}

func TestOpenRefused(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	trusted := ", certificate-authority-data: " + base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String()
	_ = listener.Close()
	expired := newServer(t, map[string]string{"GET /version": "401 " + status(401, "Unauthorized", "Unauthorized")})
	website := newServer(t, map[string]string{"GET /version": "200 <html>"})
	works := newServer(t, nil)
	empty := filepath.Join(t.TempDir(), "none")
	malformed := filepath.Join(t.TempDir(), "malformed")
	if err := os.WriteFile(malformed, []byte("contexts: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, file string
		options    Options
		want, hint string
	}{
		{"no configuration", empty, Options{}, "cannot open the cluster: there is no kubeconfig in " + empty, "set KUBECONFIG"},
		{"no configuration for a context", empty, Options{Context: "lab"}, "there is no context lab: the kubeconfig has none", "set KUBECONFIG"},
		{"malformed", malformed, Options{}, "cannot open the cluster: error loading config file", "kubectl config view"},
		{"misspelt context", config(t, works.URL, "", ""), Options{Context: "prodution"},
			"there is no context prodution in the kubeconfig (the known ones: broken, lab, production)", "did you mean production?"},
		{"other context", config(t, works.URL, "", ""), Options{Context: "xyz"}, "there is no context xyz", "the known ones: broken, lab, production"},
		{"context without a cluster", config(t, works.URL, "", ""), Options{Context: "broken"}, "the context broken: ", "kubectl config view --minify --context broken"},
		{"refused", config(t, closed, "", ""), Options{}, "connection refused", "is the cluster running?"},
		{"expired", config(t, expired.URL, "", "token: old"), Options{}, "cannot open the cluster lab: the cluster does not accept the credentials: Unauthorized", "log in again"},
		{"unknown authority", config(t, secure.URL, "", ""), Options{}, "certificate signed by unknown authority", "get its kubeconfig again"},
		{"certificate for another name", config(t, strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), trusted, ""), Options{},
			"certificate is valid for", "check the server's address"},
		{"not an API server", config(t, website.URL, "", ""), Options{}, "is not the API server of a cluster", "check the server's address"},
		{"no plugin", config(t, secure.URL, trusted, "exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, interactiveMode: Never}"), Options{},
			"no-such-plugin", "install it"},
		{"plugin fails", config(t, secure.URL, trusted, `exec: {apiVersion: client.authentication.k8s.io/v1, command: "false", interactiveMode: Never}`), Options{},
			"getting credentials", "which failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", tc.file)
			_, err := Open(context.Background(), tc.options)
			mustSay(t, err, tc.want, tc.hint)
		})
	}
	t.Run("pod without an account", func(t *testing.T) {
		t.Setenv("KUBECONFIG", empty)
		t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
		t.Setenv("KUBERNETES_SERVICE_PORT", "443")
		_, err := Open(context.Background(), Options{})
		mustSay(t, err, "the pod has no account", "service account")
	})
}
