// Package onkube tests plinth on a real Kubernetes cluster: `make test-kube` starts one and runs the
// tests in it.
package onkube
