package survey

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/kube/cluster"
	"plinth/internal/kube/manifest"
)

// Rule is a rule of a Role or a ClusterRole.
type Rule = cluster.Rule

// Namespace is the namespace in which plinth would create its objects.
type Namespace struct {
	Name        string `json:"name"`
	Absent      bool   `json:"absent,omitempty"`
	PodSecurity string `json:"pod_security,omitempty"` // the profile that is enforced, "baseline"
}

// enforced is the label of a namespace that says which pods it admits.
// https://kubernetes.io/docs/concepts/security/pod-security-admission/
const enforced = "pod-security.kubernetes.io/enforce"

func (s *Survey) readNamespace(ctx context.Context, c *cluster.Cluster) {
	answer, err := c.Raw(ctx, "/api/v1/namespaces/"+c.Namespace, nil)
	var namespace struct {
		Metadata struct{ Labels map[string]string }
	}
	switch {
	case cluster.IsGone(err):
		s.Namespace.Absent = true
		return
	case err == nil:
		err = json.Unmarshal(answer, &namespace)
	}
	if err != nil {
		s.gap("which pods the namespace admits", err, cluster.RuleOf("", "namespaces", "get"))
	}
	s.Namespace.PodSecurity = namespace.Metadata.Labels[enforced]
}

// CNPG describes the CloudNativePG of a cluster.
type CNPG struct {
	Installed bool     `json:"installed"`
	Version   string   `json:"version,omitempty"` // of the operator
	Image     string   `json:"image,omitempty"`
	Lacks     []string `json:"lacks,omitempty"` // fields of a Cluster that plinth can set

	asked bool // whether it is installed is known
}

const groupCNPG = "postgresql.cnpg.io"

// fieldsCNPG are the fields of a Cluster that plinth sets for some experiments, and that not every
// release of CloudNativePG has.
var fieldsCNPG = []string{
	"inheritedMetadata", "imageCatalogRef", "walStorage", "tablespaces", "postgresql.synchronous.dataDurability", "postgresql.synchronous.failoverQuorum",
}

// readCNPG finds out which CloudNativePG the cluster has. Every account may read the cluster's list of
// APIs and their schemas.
func (s *Survey) readCNPG(ctx context.Context, c *cluster.Cluster) {
	_, err := c.Raw(ctx, "/apis/"+groupCNPG+"/v1", nil)
	if err != nil && !cluster.IsGone(err) {
		s.gap("whether CloudNativePG is installed", err, cluster.Rule{})
		return
	}
	s.CNPG.asked, s.CNPG.Installed = true, err == nil
	if !s.CNPG.Installed {
		return
	}
	answer, err := c.Raw(ctx, "/openapi/v3/apis/"+groupCNPG+"/v1", nil)
	if err == nil {
		s.CNPG.Lacks, err = lacking(answer)
	}
	if err != nil {
		s.gap("the fields of CloudNativePG's Cluster", err, cluster.Rule{})
	}
	s.readOperator(ctx, c)
}

// lacking returns the fields that the schema of a Cluster does not have.
func lacking(openAPI []byte) ([]string, error) {
	type schema struct{ Properties map[string]json.RawMessage }
	var document struct {
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(openAPI, &document); err != nil {
		return nil, err
	}
	top, has := document.Components.Schemas["io.cnpg.postgresql.v1.Cluster"]
	if !has {
		return nil, errors.New("the cluster publishes no schema of it")
	}
	var lacks []string
	for _, field := range fieldsCNPG {
		at := top
		for name := range strings.SplitSeq("spec."+field, ".") {
			next := at.Properties[name]
			at = schema{}
			if next == nil {
				lacks = append(lacks, field)
				break
			}
			if err := json.Unmarshal(next, &at); err != nil {
				return nil, err
			}
		}
	}
	return lacks, nil
}

// version is the tag of an image of the operator.
var version = regexp.MustCompile(`:v?(\d+\.\d+[^@]*)`)

// readOperator reads the version of the operator from the image that its Deployment runs.
func (s *Survey) readOperator(ctx context.Context, c *cluster.Cluster) {
	answer, err := c.Raw(ctx, "/apis/apps/v1/deployments", url.Values{"labelSelector": {"app.kubernetes.io/name=cloudnative-pg"}})
	var found struct {
		Items []struct {
			Spec struct {
				Template struct {
					Spec struct{ Containers []struct{ Image string } }
				}
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(answer, &found)
	}
	if err == nil && len(found.Items) == 0 {
		err = errors.New("no Deployment has the label app.kubernetes.io/name=cloudnative-pg")
	}
	if err != nil {
		s.gap("the version of CloudNativePG", err, cluster.RuleOf("apps", "deployments", "list"))
		return
	}
	for _, container := range found.Items[0].Spec.Template.Spec.Containers {
		s.CNPG.Image = cmp.Or(s.CNPG.Image, container.Image)
	}
	if m := version.FindStringSubmatch(s.CNPG.Image); m != nil {
		s.CNPG.Version = m[1]
	}
}

// needed returns the rules of everything that plinth run may create in a namespace.
func needed(cnpg bool) []cluster.Rule {
	e := &experiment.Experiment{Environments: []experiment.Environment{{Kubernetes: experiment.Kubernetes{Operator: experiment.OperatorNone}}}}
	if cnpg {
		e.Environments = append(e.Environments, experiment.Environment{Kubernetes: experiment.Kubernetes{Operator: experiment.OperatorCNPG}})
	}
	return cluster.RulesOf((manifest.Plan{Experiment: e}).Rules())
}

// readRights finds out which rights the account lacks that plinth run needs in the namespace.
func (s *Survey) readRights(ctx context.Context, c *cluster.Cluster) {
	lacking, err := c.Lacking(ctx, needed(s.CNPG.Installed))
	if err != nil {
		s.gap("the rights of the account", err, cluster.RuleOf("authorization.k8s.io", "selfsubjectaccessreviews", "create"))
		return
	}
	s.Missing = append(s.Missing, lacking...)
}
