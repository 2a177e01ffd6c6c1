package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Rule is a rule of a Role or a ClusterRole.
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/
type Rule struct {
	Groups    []string `json:"api_groups"`
	Resources []string `json:"resources"`
	Verbs     []string `json:"verbs"`
}

// RuleOf returns the rule for one verb on one kind of objects.
func RuleOf(group, resource, verb string) Rule {
	return Rule{Groups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}}
}

// RulesOf returns the rules of an object of the API.
func RulesOf(objects []any) []Rule {
	var rules []Rule
	for _, o := range objects {
		rule, _ := o.(Object)
		texts := func(key string) []string {
			list, _ := rule[key].([]any)
			all := make([]string, 0, len(list))
			for _, one := range list {
				all = append(all, fmt.Sprint(one))
			}
			return all
		}
		rules = append(rules, Rule{Groups: texts("apiGroups"), Resources: texts("resources"), Verbs: texts("verbs")})
	}
	return rules
}

// String returns the rule as it appears in the YAML of a Role.
func (r Rule) String() string {
	quoted := func(texts []string) string {
		all := make([]string, len(texts))
		for i, text := range texts {
			all[i] = fmt.Sprintf("%q", text)
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return fmt.Sprintf("- apiGroups: %s\n  resources: %s\n  verbs: %s", quoted(r.Groups), quoted(r.Resources), quoted(r.Verbs))
}

// AddRule adds a rule to others: a verb to the rule of the same objects.
func AddRule(rules []Rule, more Rule) []Rule {
	for i, rule := range rules {
		if slices.Equal(rule.Groups, more.Groups) && slices.Equal(rule.Resources, more.Resources) {
			for _, verb := range more.Verbs {
				if !slices.Contains(rule.Verbs, verb) {
					rules[i].Verbs = append(rules[i].Verbs, verb)
				}
			}
			return rules
		}
	}
	return append(rules, more)
}

// Lacking returns the part of some rules that the account lacks in the cluster's namespace, or in the whole
// cluster if that is "".
func (c *Cluster) Lacking(ctx context.Context, rules []Rule) ([]Rule, error) {
	all := rights(rules)
	allowed, problems := make([]bool, len(all)), make([]error, len(all))
	var wait sync.WaitGroup
	places := make(chan struct{}, parallelReviews)
	for i, one := range all {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			allowed[i], problems[i] = c.allowed(ctx, one)
		})
	}
	wait.Wait()
	var lacking []Rule
	for i, one := range all {
		if problems[i] != nil {
			return nil, problems[i]
		}
		if !allowed[i] {
			lacking = AddRule(lacking, RuleOf(one.group, one.resource, one.verb))
		}
	}
	return lacking, nil
}

// parallelReviews is how many rights are asked for at a time.
const parallelReviews = 8

// right is the permission for one verb on one kind of objects.
type right struct{ group, resource, verb string }

// rights returns the single rights that rules grant, each once.
func rights(rules []Rule) []right {
	var all []right
	for _, rule := range rules {
		for _, group := range rule.Groups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					if one := (right{group, resource, verb}); !slices.Contains(all, one) {
						all = append(all, one)
					}
				}
			}
		}
	}
	return all
}

var reviews = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"}

// allowed reports whether the account has a right. It asks the API server about this right: the list of
// all rights of an account lacks those that a cloud provider's authorizer grants.
func (c *Cluster) allowed(ctx context.Context, one right) (bool, error) {
	asked := Object{"group": one.group, "resource": one.resource, "verb": one.verb}
	if c.Namespace != "" {
		asked["namespace"] = c.Namespace
	}
	if resource, sub, is := strings.Cut(one.resource, "/"); is {
		asked["resource"], asked["subresource"] = resource, sub
	}
	review := &unstructured.Unstructured{Object: Object{
		"apiVersion": reviews.GroupVersion().String(), "kind": "SelfSubjectAccessReview",
		"spec": Object{"resourceAttributes": asked},
	}}
	answer, err := c.objects.Resource(reviews).Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("cannot ask for the right to %s %s: %w", one.verb, one.resource, c.explain(err))
	}
	allowed, _, err := unstructured.NestedBool(answer.Object, "status", "allowed")
	return allowed, err
}
