package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// kubernetes checks the environments on Kubernetes, and the keys that apply only to them.
func kubernetes(notes *mistake.Notes, e *experiment.Experiment) {
	pods, others := 0, 0
	for i := range e.Environments {
		env := &e.Environments[i]
		where := "environments." + strictyaml.Bare(env.Name)
		if notes.Places[&env.Kubernetes] == nil {
			others++
			misplaced(notes, &env.Limits.HugePages, false, "leave it out; tuning: huge-pages reserves huge pages on this machine", where+".limits", "huge_pages applies only with kubernetes")
			continue
		}
		pods++
		if notes.Sound(env, &env.Kubernetes) {
			onKubernetes(notes, e, env, where)
		}
	}
	cluster(notes, e, pods)
	podGenerators(notes, e, pods)
}

// Names of Kubernetes: of a namespace (a DNS label), and of most other objects (a DNS subdomain).
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
var (
	dnsLabel     = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	dnsSubdomain = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
)

// longestSubdomain is the maximum length of a DNS subdomain.
const longestSubdomain = 253

func validSubdomain(name string) bool {
	return len(name) <= longestSubdomain && dnsSubdomain.MatchString(name)
}

// cluster checks the keys of the cluster.
func cluster(notes *mistake.Notes, e *experiment.Experiment, pods int) {
	c := &e.Kubernetes
	place := notes.Places[c]
	if place == nil || !notes.Sound(c) {
		return
	}
	if pods == 0 && notes.Sound(&e.Environments) {
		notes.Add(place, "add kubernetes: {operator: cnpg} to an environment, or leave it out", "kubernetes: no environment runs on Kubernetes")
	}
	if c.Namespace != "" && !dnsLabel.MatchString(c.Namespace) && notes.Sound(&c.Namespace) {
		notes.Add(notes.Places[&c.Namespace], "use lower-case letters, digits and hyphens", "kubernetes.namespace: a namespace cannot be named %s", strictyaml.Quote(c.Namespace))
	}
	if hasControl(c.Context) {
		notes.Add(notes.Places[&c.Context], "", "kubernetes.context: a control character in the name")
	}
	image(notes, &c.Image, "kubernetes.image")
}

// podGenerators checks the load generators in pods.
func podGenerators(notes *mistake.Notes, e *experiment.Experiment, pods int) {
	d := &e.Driver
	if pods == 0 {
		for key, pointer := range map[string]any{"pods": &d.Pods, "node": &d.Node} {
			misplaced(notes, pointer, false, "leave it out, or add kubernetes: {operator: cnpg} to an environment", "driver", "%s applies only to environments on Kubernetes", key)
		}
		return
	}
	if d.Elsewhere() && notes.Sound(&d.At) {
		notes.Add(notes.Places[&d.At], "use pods instead: driver: {pods: 2}", "driver.at: servers on Kubernetes are driven from pods, not from other machines")
	}
	if e.Generator == experiment.RedisBenchmark && d.Pods == 0 && !d.Elsewhere() && notes.Sound(&e.Generator) {
		notes.Add(notes.Places[&e.Generator], "use generator: plinth", "generator: redis-benchmark cannot give a password, and the servers on Kubernetes have one")
	}
}

// image checks the name of an image. The cluster knows whether it exists.
func image(notes *mistake.Notes, name *string, where string) {
	if *name != "" && notes.Sound(name) && (strings.ContainsAny(*name, " \t") || hasControl(*name)) {
		notes.Add(notes.Places[name], "write it as registry.example/plinth:1.0", "%s: %s is not the name of an image", where, strictyaml.Quote(*name))
	}
}

// onKubernetes checks one environment on Kubernetes.
func onKubernetes(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	k := &env.Kubernetes
	elsewhereToo(notes, e, env, where)
	image(notes, &k.Image, where+".kubernetes.image")
	misplaced(notes, &k.Secret, strings.HasPrefix(k.Existing, "service/") || !notes.Sound(&k.Existing), "leave it out, or use existing: service/NAME; plinth knows the Secrets of other servers", where+".kubernetes",
		"secret applies only to an existing Service")
	switch place := notes.Places[k]; {
	case k.Operator != "" && k.Existing != "":
		notes.Add(notes.Places[&k.Existing], "leave one of them out", "%s.kubernetes: operator and existing cannot be given together", where)
	case k.Existing != "":
		existing(notes, e, env, where)
	case k.Operator == "" && notes.Sound(&k.Operator, &k.Existing):
		notes.Add(place, "give it operator: cnpg, operator: none or existing: cluster/NAME", "%s.kubernetes: nothing runs the server", where)
	case k.Operator != "" && env.Connect == "":
		made(notes, e, env, where)
	}
}

// elsewhereToo notes the keys that concern the machine of a server, which a pod does not have.
func elsewhereToo(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	for _, key := range []struct {
		pointer any
		name    string
	}{
		{&env.At, "at"}, {&env.Connect, "connect"}, {&env.Listen, "listen"}, {&env.Transport, "transport"}, {&env.Pressure, "pressure"},
		{&env.Limits.CPUCredits, "limits.cpu_credits"},
	} {
		misplaced(notes, key.pointer, false, "leave one of the two out", where, "%s cannot be combined with kubernetes", key.name)
	}
	for _, key := range []struct {
		name        string
		own, shared *string
	}{{"postgres.directory", &env.Postgres.Directory, &e.Postgres.Directory}, {"redis.directory", &env.Redis.Directory, &e.Redis.Directory}} {
		if *key.own != "" {
			notes.Add(first(notes.Places[key.own], notes.Places[key.shared]), "leave it out; kubernetes: {image: NAME} gives the server's image", "%s: %s cannot be combined with kubernetes", where, key.name)
		}
	}
}

// made checks a server that plinth creates on Kubernetes.
func made(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	k := &env.Kubernetes
	if notes.Sound(&env.Storage, &env.Storage.Data) && !env.Storage.Data.Given() {
		notes.Add(first(notes.Places[&env.Storage], notes.Places[k]), "add storage: {data: {class: NAME, size: 20GiB}}; kubectl get storageclass lists the classes",
			"%s: an environment on Kubernetes needs a volume for its data", where)
	}
	requests(notes, &env.Limits, where+".limits")
	requests(notes, &env.Replica.Limits, where+".replica.limits")
	if e.Engine == experiment.EnginePostgres {
		misplaced(notes, &env.Replica, false, "use kubernetes: {operator: cnpg, instances: 2}", where, "replica cannot be combined with kubernetes, whose operator makes the replicas of PostgreSQL")
		versions(notes, e, env, where)
	}
	if k.Operator == experiment.OperatorCNPG {
		cnpg(notes, e, env, where)
		return
	}
	for key, pointer := range map[string]any{"instances": &k.Instances, "synchronous": &k.Synchronous, "catalog": &k.Catalog} {
		misplaced(notes, pointer, false, "leave it out, or use operator: cnpg", where+".kubernetes", "%s applies only to operator: cnpg", key)
	}
}

// hugePage is the size of the huge pages that limits.huge_pages counts.
const hugePage = 2 * unit.MiB

// requests checks limits as the requests and limits of a pod.
func requests(notes *mistake.Notes, l *experiment.Limits, where string) {
	if l.CPUs > 0 && l.CPUQuota > 0 && notes.Sound(&l.CPUs, &l.CPUQuota) {
		notes.Add(notes.Places[&l.CPUQuota], "leave one of them out", "%s: on Kubernetes, cpus and cpu_quota are the same limit", where)
	}
	if l.HugePages == 0 || !notes.Sound(&l.HugePages, &l.Memory) {
		return
	}
	switch place := notes.Places[&l.HugePages]; {
	case l.HugePages%hugePage != 0:
		notes.Add(place, "write "+(l.HugePages/hugePage*hugePage+hugePage).Exact(), "%s.huge_pages: %s is not a multiple of %s", where, l.HugePages.Exact(), hugePage.Exact())
	case l.Memory == 0:
		notes.Add(place, "add memory: 8GiB", "%s: huge_pages requires memory, for everything that is not in huge pages", where)
	}
}

// versions checks that the server's image is given in one way.
func versions(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	k := &env.Kubernetes
	version := first(notes.Places[&env.Postgres.Version], notes.Places[&e.Postgres.Version])
	kind, name, _ := strings.Cut(k.Catalog, "/")
	switch {
	case !notes.Sound(&k.Image, &k.Catalog, &env.Postgres.Version):
	case k.Image != "" && k.Catalog != "":
		notes.Add(notes.Places[&k.Catalog], "leave one of them out", "%s.kubernetes: image and catalog cannot be given together", where)
	case k.Image != "" && env.Postgres.Version != 0:
		notes.Add(version, "leave one of them out", "%s: the image already determines the version of PostgreSQL", where)
	case k.Catalog == "" || k.Operator != experiment.OperatorCNPG:
	case !slices.Contains([]string{"imagecatalog", "clusterimagecatalog"}, kind) || !validSubdomain(name):
		notes.Add(notes.Places[&k.Catalog], "write it as imagecatalog/NAME or clusterimagecatalog/NAME", "%s.kubernetes.catalog: %s is not a catalog", where, strictyaml.Quote(k.Catalog))
	case env.Postgres.Version == 0:
		notes.Add(notes.Places[&k.Catalog], "add postgres: {version: 18}", "%s.kubernetes.catalog: a catalog has images of several versions, and no version is given", where)
	}
}

// existing checks an existing server on Kubernetes.
func existing(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, where string) {
	k := &env.Kubernetes
	kind, name := k.Of()
	place := notes.Places[&k.Existing]
	switch {
	case !notes.Sound(&k.Existing):
	case !slices.Contains([]string{"cluster", "service"}, kind) || !validSubdomain(name):
		notes.Add(place, "write it as cluster/NAME or service/NAME", "%s.kubernetes.existing: %s is not a server", where, strictyaml.Quote(k.Existing))
	case kind == "cluster" && e.Engine != experiment.EnginePostgres:
		notes.Add(place, "give service/NAME", "%s.kubernetes.existing: CloudNativePG runs PostgreSQL only", where)
	case !env.Disposable && notes.Sound(&env.Disposable):
		notes.Add(place, "add disposable: true if plinth may create and drop a database named plinth_... on this server (Redis: keys that begin with plinth:)",
			"%s: existing requires disposable: true", where)
	}
	if k.Secret != "" && !validSubdomain(k.Secret) && notes.Sound(&k.Secret) {
		notes.Add(notes.Places[&k.Secret], "give the name of a Secret", "%s.kubernetes.secret: a Secret cannot be named %s", where, strictyaml.Quote(k.Secret))
	}
	const notOurs = "leave it out: plinth does not create the server"
	for _, key := range []struct {
		pointer any
		name    string
	}{
		{&env.Storage, "storage"}, {&env.Settings, "settings"}, {&env.Limits, "limits"}, {&env.Postgres, "postgres"}, {&env.Redis, "redis"}, {&env.Replica, "replica"}, {&env.Tuning, "tuning"},
		{&k.Image, "kubernetes.image"}, {&k.Catalog, "kubernetes.catalog"}, {&k.Instances, "kubernetes.instances"}, {&k.Synchronous, "kubernetes.synchronous"},
	} {
		misplaced(notes, key.pointer, false, notOurs, where, "%s cannot be combined with kubernetes: {existing: ...}", key.name)
	}
	if len(e.Settings) > 0 && notes.Sound(&e.Settings) {
		notes.Add(notes.Places[&e.Settings], "set environments.NAME.settings for each environment whose server plinth creates",
			"settings cannot apply to environment %s, which uses an existing server (kubernetes.existing)", strictyaml.Bare(env.Name))
	}
}

// claim checks a volume that a storage class provides.
func claim(notes *mistake.Notes, v *experiment.Volume, where string) {
	if !notes.Sound(v) || notes.Places[v] == nil && !v.Given() {
		return
	}
	const provided = "leave it out: the storage class decides"
	for _, key := range []struct {
		pointer any
		name    string
	}{
		{&v.Directory, "directory"}, {&v.Device, "device"}, {&v.File, "file"}, {&v.Emulate, "emulate"}, {&v.RAID, "raid"}, {&v.Members, "members"}, {&v.Chunk, "chunk"},
		{&v.Filesystem, "filesystem"}, {&v.Mkfs, "mkfs"}, {&v.Mount, "mount"}, {&v.ReadAhead, "read_ahead"}, {&v.Scheduler, "scheduler"},
		{&v.Backing, "backing"}, {&v.Erase, "erase"}, {&v.Unsafe, "unsafe"},
	} {
		misplaced(notes, key.pointer, false, provided, where, "%s cannot be combined with kubernetes", key.name)
	}
	changes(notes, &v.Disk, where)
	said(notes, &v.Disk, where)
	switch place := notes.Places[v]; {
	case !notes.Sound(&v.Class, &v.Size):
	case v.Class == "" && (v.Directory != "" || v.RAID != "" || v.Disk.There()):
	case v.Class == "":
		notes.Add(place, "add class: NAME; kubectl get storageclass lists the classes", "%s: no storage class is given", where)
	case !validSubdomain(v.Class):
		notes.Add(notes.Places[&v.Class], "kubectl get storageclass lists the classes", "%s.class: a storage class cannot be named %s", where, strictyaml.Quote(v.Class))
	case v.Size == 0:
		notes.Add(place, "add size: 20GiB", "%s: a volume on Kubernetes needs a size", where)
	}
}

// settingAt returns the position of a setting of an environment: in its own settings, or in those of the
// experiment.
func settingAt(notes *mistake.Notes, e *experiment.Experiment, env *experiment.Environment, name string) *yaml.Node {
	return first(notes.Places[mistake.Setting{Of: &env.Settings, Name: name}], notes.Places[mistake.Setting{Of: &e.Settings, Name: name}])
}

// instancesAtLeast formats the hint about more instances.
func instancesAtLeast(n int) string { return "set instances to " + strconv.Itoa(n) + " or more" }
