package kubetest

import (
	"encoding/json"
	"slices"
	"strings"
)

// API is a kind of objects that a cluster has.
type API struct {
	Version  string // "v1", or with its group: "apps/v1"
	Resource string // "pods"
	Kind     string // "Pod"
	Global   bool   // not in a namespace
}

// Discover returns what an API server answers that has some kinds, at the paths at which it lists them: /api/v1,
// /apis, and /apis/GROUP/VERSION. It returns nil at other paths.
func Discover(path string, all []API) []byte {
	at := func(version string) string {
		if version == "v1" {
			return "/api/v1"
		}
		return "/apis/" + version
	}
	var groups, resources []Object
	version := strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")
	var seen []string
	for _, api := range all {
		if api.Version != "v1" && !slices.Contains(seen, api.Version) {
			seen = append(seen, api.Version)
			group, _, _ := strings.Cut(api.Version, "/")
			groups = append(groups, Object{"name": group, "versions": []Object{{"groupVersion": api.Version}}})
		}
		if at(api.Version) == path {
			resources = append(resources, Object{
				"name": api.Resource, "kind": api.Kind, "namespaced": !api.Global, "verbs": []string{"create", "delete", "get", "list", "patch"},
			})
		}
	}
	var answer Object
	switch {
	case path == "/apis":
		answer = Object{"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
	case resources != nil:
		answer = Object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": resources}
	default:
		return nil
	}
	body, _ := json.Marshal(answer)
	return body
}
