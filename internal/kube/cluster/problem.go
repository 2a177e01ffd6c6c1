package cluster

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"plinth/internal/hint"
)

// explain adds a hint to an error of the API server, or of the way to it.
func (c *Cluster) explain(err error) error {
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		return c.explainStatus(err, status)
	}
	return c.explainConnection(err)
}

// NotAllowed reports whether an error says that the account lacks a right, or that the namespace does not
// allow an object.
func NotAllowed(err error) bool { return apierrors.IsForbidden(err) }

// Denied reports whether an error says that the account, the namespace or a policy does not allow an object. An
// admission webhook may answer with any code, 400 by default, and a ValidatingAdmissionPolicy answers with 422.
func Denied(err error) bool {
	return NotAllowed(err) || err != nil && policy.MatchString(err.Error())
}

// policy is how the API server says that one of them refuses an object.
var policy = regexp.MustCompile(`denied (the )?request`)

// denied is how the API server says that an account lacks a right. Admission and quotas forbid in
// other words.
var denied = regexp.MustCompile(`User "([^"]*)" cannot (\S+) (?:resource "([^"]*)" in API group "([^"]*)"|path "([^"]*)")(?: in the namespace "([^"]*)")?`)

// podSecurity is the advice about a pod that Pod Security does not admit.
const podSecurity = "the namespace's label pod-security.kubernetes.io/enforce decides this"

func (c *Cluster) explainStatus(err error, status *apierrors.StatusError) error {
	message := status.ErrStatus.Message
	switch {
	case apierrors.IsUnauthorized(err):
		return hint.Wrap(fmt.Errorf("the cluster does not accept the credentials: %w", err),
			"they may have expired: log in again as for kubectl, and try kubectl get pods")
	case apierrors.IsForbidden(err):
		if m := denied.FindStringSubmatch(message); m != nil {
			return missingRule(err, m)
		}
		if strings.Contains(message, "must specify") {
			return hint.Wrap(err, unspecified)
		}
		if strings.Contains(message, "exceeded quota") {
			return hint.Wrap(err, "kubectl describe quota --namespace "+c.Namespace+" shows what is used; ask for less (limits, storage, driver.pods; plinth probe: --claim), or change the quota")
		}
		if strings.Contains(message, "violates PodSecurity") {
			return hint.Wrap(err, podSecurity)
		}
	case apierrors.IsNotFound(err) && strings.HasPrefix(message, "namespaces "):
		return hint.Wrap(err, "create it: kubectl create namespace "+c.Namespace)
	case apierrors.IsConflict(err):
		return hint.Wrap(err, "something else changes this object, such as a controller of continuous delivery")
	}
	return err
}

// missingRule is the error for a right that an account lacks: its hint is the rule.
func missingRule(err error, m []string) error {
	user, verb, resource, group, path, namespace := m[1], m[2], m[3], m[4], m[5], m[6]
	kind, rule := "ClusterRole", fmt.Sprintf("- apiGroups: [%q]\n  resources: [%q]\n  verbs: [%q]", group, resource, verb)
	switch {
	case path != "":
		rule = fmt.Sprintf("- nonResourceURLs: [%q]\n  verbs: [%q]", path, verb)
	case namespace != "":
		kind = "Role in the namespace " + namespace
	}
	return hint.Wrap(err, fmt.Sprintf("give %s a %s with this rule:\n%s", user, kind, rule))
}

// explainConnection adds a hint to an error of the connection to the API server.
func (c *Cluster) explainConnection(err error) error {
	var (
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
		name      *net.DNSError
		timeout   net.Error
	)
	advice := ""
	switch {
	case errors.As(err, &authority):
		advice = "certificate-authority-data in the kubeconfig belongs to another cluster, or the cluster was recreated: get its kubeconfig again"
	case errors.As(err, &invalid), errors.As(err, &hostname):
		advice = "check the server's address and its certificate"
	case strings.Contains(err.Error(), "getting credentials") && strings.Contains(err.Error(), "not found"):
		advice = "the kubeconfig gets its credentials from this program: install it"
	case strings.Contains(err.Error(), "getting credentials"):
		advice = "the kubeconfig gets its credentials from a program, which failed: log in again as for kubectl"
	case errors.Is(err, syscall.ECONNREFUSED):
		advice = "is the cluster running? kubectl config view --minify shows its address"
	case errors.As(err, &name):
		advice = "check the server's address: kubectl config view --minify shows it"
	case errors.As(err, &timeout) && timeout.Timeout():
		advice = "is the cluster reachable from here (VPN, firewall)?"
	}
	if advice == "" {
		return err
	}
	return hint.Wrap(err, advice)
}
