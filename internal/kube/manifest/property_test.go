package manifest

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"plinth/internal/experiment"
	"plinth/internal/experiment/experimenttest"
)

// secret is the password of every server in the tests.
const secret = "hunter2"

// anyPlan generates plans for servers of both engines.
func anyPlan() *rapid.Generator[Plan] {
	return rapid.Custom(func(t *rapid.T) Plan {
		e := experimenttest.OnKubernetes().Draw(t, "experiment")
		if rapid.Bool().Draw(t, "redis") {
			e.Engine, e.Settings = experiment.EngineRedis, nil
			for i := range e.Environments {
				redis(&e.Environments[i])
			}
		}
		return Plan{Experiment: e, Record: rapid.String().Draw(t, "record"), Version: "1.0", Password: func() string { return secret }}
	})
}

// redis changes an environment to a Redis server with a replica.
func redis(env *experiment.Environment) {
	if env.Existing() {
		env.Kubernetes.Existing = "service/carts"
		return
	}
	env.Kubernetes = experiment.Kubernetes{Operator: experiment.OperatorNone}
	env.Settings = map[string]string{"appendonly": "yes", "save": ""}
	env.Storage = experiment.Storage{Data: env.Storage.Data}
	env.Replica.Storage = env.Storage
	env.Limits.HugePages = 0
}

// Every object has a valid name and the label of its record, except for rights, which plinth must not delete.
// Only Secrets hold a password.
func TestEveryObject(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := anyPlan().Draw(rt, "plan")
		names := map[string]bool{}
		for _, o := range all(t, p) {
			metadata := o["metadata"].(Object)
			name, _ := metadata["name"].(string)
			what := fmt.Sprint(o["kind"], " ", name)
			if names[what] {
				rt.Errorf("%s: twice", what)
			}
			names[what] = true
			if o["kind"] != "Namespace" && (!label.MatchString(name) || len(name) > 50) {
				rt.Errorf("%s: no name", what)
			}
			if metadata["namespace"] != nil && metadata["namespace"] != p.Experiment.Kubernetes.Namespace {
				rt.Errorf("%s: in %v", what, metadata["namespace"])
			}
			labelled(rt, p, metadata, what)
			walk(o, func(key string, value any) { checkPart(rt, p, what, key, value) })
			if text, _ := YAML(o); o["kind"] != "Secret" && strings.Contains(string(text), secret) {
				rt.Errorf("%s holds a password:\n%s", what, text)
			}
		}
	})
}

var (
	label = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
	value = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
)

// labelled checks the labels of an object, or of what is created from a template in it.
func labelled(t *rapid.T, p Plan, metadata Object, what string) {
	labels, _ := metadata["labels"].(Object)
	var record any = LabelValue(p.Record)
	if labels[LabelRole] == roleAccess {
		record = nil
	}
	if labels[LabelRecord] != record || labels[LabelRole] == nil {
		t.Errorf("%s: labels %v", what, labels)
	}
	for key, text := range labels {
		if word, is := text.(string); !is || !value.MatchString(word) {
			t.Errorf("%s: %s: %v", what, key, text)
		}
	}
}

// checkPart checks what is inside an object.
func checkPart(t *rapid.T, p Plan, what, key string, part any) {
	switch part := part.(type) {
	case Object:
		if key == "inheritedMetadata" || key == "template" {
			metadata, is := part["metadata"].(Object)
			if !is {
				metadata = part
			}
			labelled(t, p, metadata, what+" "+key)
		}
		if pod, is := part["containers"].([]any); is {
			checkMounts(t, what, append(pod, asList(part["initContainers"])...), asList(part["volumes"]))
		}
		if claims, is := part["volumeClaimTemplates"].([]any); is {
			for _, claim := range claims {
				labelled(t, p, claim.(Object)["metadata"].(Object), what+" "+key)
			}
		}
	case []any, string, int64, bool:
	default:
		t.Errorf("%s: %s is a %T, which client-go does not accept", what, key, part)
	}
}

// checkMounts checks that the names of a pod's volumes are valid, and that no two of a container's mounts
// have the same path.
func checkMounts(t *rapid.T, what string, containers, volumes []any) {
	for _, volume := range volumes {
		if name := volume.(Object)["name"].(string); !label.MatchString(name) {
			t.Errorf("%s: volume %s", what, name)
		}
	}
	for _, container := range containers {
		paths := map[any]bool{}
		for _, mount := range asList(container.(Object)["volumeMounts"]) {
			m := mount.(Object)
			if !label.MatchString(m["name"].(string)) || paths[m["mountPath"]] {
				t.Errorf("%s: mount %v", what, m)
			}
			paths[m["mountPath"]] = true
		}
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// walk calls see for every part of an object.
func walk(part any, see func(key string, value any)) {
	switch part := part.(type) {
	case Object:
		for key, child := range part {
			see(key, child)
			walk(child, see)
		}
	case []any:
		for _, child := range part {
			see("", child)
			walk(child, see)
		}
	}
}

// What is written reads back as the same objects.
func TestYAMLReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		objects := all(t, anyPlan().Draw(rt, "plan"))
		text, err := YAML(objects...)
		if err != nil {
			rt.Fatal(err)
		}
		decoder := yaml.NewDecoder(strings.NewReader(string(text)))
		for _, want := range objects {
			var got Object
			if err := decoder.Decode(&got); err != nil {
				rt.Fatal(err)
			}
			if !reflect.DeepEqual(plain(got), plain(want)) {
				rt.Errorf("got %v, want %v", got, want)
			}
		}
	})
}

// plain returns a value with all integers as int, as YAML has them.
func plain(v any) any {
	switch v := v.(type) {
	case Object:
		for key, child := range v {
			v[key] = plain(child)
		}
	case []any:
		for i, child := range v {
			v[i] = plain(child)
		}
	case int64:
		return int(v)
	}
	return v
}
