package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"plinth/internal/kube/kubetest"
)

// kubernetes is the cluster of a script.
type kubernetes struct{ *kubetest.Server }

type kubernetesKey struct{}

// kubernetesCommand serves the answers of a cluster until the script ends, and sets KUBECONFIG:
//
//	kubernetes serve DIR                        answers in internal/kube/DIR
//	kubernetes fail 'GET /version' '401 Unauthorized'
//	kubernetes works 'GET /version'             not any more
//	kubernetes deny create jobs
//	kubernetes deleted                          prints what was deleted
func kubernetesCommand(ts *testscript.TestScript, neg bool, args []string) {
	k, _ := ts.Value(kubernetesKey{}).(*kubernetes)
	switch {
	case neg:
	case len(args) == 2 && args[0] == "serve":
		dir, err := filepath.Abs(filepath.Join("..", "kube", filepath.FromSlash(args[1])))
		ts.Check(err)
		k.Server = kubetest.New(dir)
		ts.Defer(k.Close)
		config := ts.MkAbs("kubeconfig")
		ts.Check(os.WriteFile(config, []byte(k.Configuration()), 0o600))
		ts.Setenv("KUBECONFIG", config)
		return
	case len(args) == 3 && args[0] == "fail":
		k.Fail(args[1], args[2])
		return
	case len(args) == 2 && args[0] == "works":
		k.Fail(args[1], "")
		return
	case len(args) == 3 && args[0] == "deny":
		k.Deny(args[1], args[2])
		return
	case len(args) == 1 && args[0] == "deleted":
		out := ts.Stdout() // also without any, so that it is empty
		for _, path := range k.Deleted() {
			_, err := fmt.Fprintln(out, path)
			ts.Check(err)
		}
		return
	}
	ts.Fatalf("usage: kubernetes serve DIR | fail REQUEST ANSWER | works REQUEST | deny VERB RESOURCE | deleted")
}
