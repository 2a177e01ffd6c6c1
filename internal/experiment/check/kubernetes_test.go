package check

import (
	"fmt"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/unit"
)

// onKubernetes gives an environment a server on Kubernetes.
func (l lab) onKubernetes(env *experiment.Environment, operator string) {
	env.Kubernetes = experiment.Kubernetes{Operator: operator}
	if operator == experiment.OperatorCNPG {
		env.Kubernetes.Instances = 1
	}
	env.Storage = experiment.Storage{Data: class("fast")}
}

// tuned gives the first environment a pod that is tuned by a profile.
func (l lab) tuned(name string) {
	l.onKubernetes(l.a, experiment.OperatorNone)
	l.a.Tuning = []experiment.Tuning{{Name: name}}
}

func class(name string) experiment.Volume {
	return experiment.Volume{Class: name, Disk: experiment.Disk{Size: 20 * unit.GiB}}
}

// TestKubernetes checks environments on Kubernetes. The files of mistakes in package decode have more.
func TestKubernetes(t *testing.T) {
	mistakes{
		``: func(l lab) {
			l.onKubernetes(l.a, experiment.OperatorCNPG)
			l.onKubernetes(l.b, experiment.OperatorNone)
			l.Kubernetes.Namespace, l.Driver.Node = "bench", "apart"
		},
		`environments[0].at: environments.a: at cannot be combined with kubernetes | leave one of the two out`: func(l lab) {
			l.onKubernetes(l.a, experiment.OperatorCNPG)
			l.a.At.SSH = "ssh://db1"
		},
		`environments[0].kubernetes: environments.a: an environment on Kubernetes needs a volume for its data | add storage: {data: {class: NAME, size: 20GiB}}; kubectl get storageclass lists the classes`: func(l lab) {
			l.onKubernetes(l.a, experiment.OperatorNone)
			l.a.Storage = experiment.Storage{}
		},
		`environments[0].storage.data.class: environments.a.storage.data: class applies only to an environment on Kubernetes | add kubernetes: {operator: cnpg} to the environment, or give a directory or a device instead`: func(l lab) {
			l.a.Storage.Data = class("fast")
		},
		`environments[0].kubernetes.synchronous.number: environments.a.kubernetes.synchronous: commits cannot wait for 1 of 0 replicas | set instances to 2 or more`: func(l lab) {
			l.onKubernetes(l.a, experiment.OperatorCNPG)
			l.a.Kubernetes.Synchronous = experiment.Synchronous{Method: "any", Number: 1, DataDurability: "required"}
		},
		`environments[0].kubernetes.image: environments.a.kubernetes.image: CloudNativePG reads the version of PostgreSQL from the image's tag | add the version as its tag: registry.example/postgresql:17.5`: func(l lab) {
			l.onKubernetes(l.a, experiment.OperatorCNPG)
			l.onKubernetes(l.b, experiment.OperatorCNPG)
			l.a.Kubernetes.Image, l.b.Kubernetes.Image = "registry.example:5000/pg@sha256:17", "registry.example:5000/pg:17.5-trixie@sha256:0a"
		},
		`environments[0].kubernetes.operator: environments.a.kubernetes: CloudNativePG runs PostgreSQL only | use operator: none`: func(l lab) {
			l.redis()
			l.onKubernetes(l.a, experiment.OperatorCNPG)
		},
		`driver.at: driver.at: servers on Kubernetes are driven from pods, not from other machines | use pods instead: driver: {pods: 2}`: func(l lab) {
			l.onKubernetes(l.a, experiment.OperatorNone)
			l.Driver.At = []experiment.At{{SSH: "ssh://load1"}}
		},
		`environments[0].tuning[0]: environments.a.tuning: pod.qos = Guaranteed: the limits do not have both CPUs and memory | add limits: {cpus: 2, memory: 8GiB} to the environment`: func(l lab) {
			l.tuned("pod-guaranteed")
			l.a.Limits = experiment.Limits{Memory: unit.GiB}
		},
		`environments[0].tuning[0]: environments.a.tuning: pod.cpus = exclusive: the limits do not have a whole number of CPUs (cpus) | add limits: {cpus: 2} to the environment`: func(l lab) {
			l.tuned("pod-pinned")
			l.a.Limits = experiment.Limits{CPUQuota: 2, Memory: unit.GiB}
		},
		`environments[0].tuning[0]: environments.a.tuning: pod.hugepages = on: the limits have no huge pages | add limits: {huge_pages: 2GiB} to the environment`: func(l lab) {
			l.tuned("pod-hugepages")
		},
		`environments[0].tuning[0]: environments.a.tuning: pod.hugepages = on: Redis does not use huge pages that are reserved | leave it out`: func(l lab) {
			l.redis()
			l.tuned("pod-hugepages")
		},
		`environments[0].tuning[1]: environments.a.tuning: vm.nr_hugepages and nr_requests@data: with kubernetes, only the server and its pod can be tuned | add without: [kernel, block], and tune the node with plinth tune on it`: func(l lab) {
			l.tuned("aws-matched")
			l.a.Tuning = append(l.a.Tuning, experiment.Tuning{Profile: &profile.Profile{Name: "mine", Settings: []profile.Setting{
				{Key: knob.Key{Knob: "vm.nr_hugepages"}, Value: "8"}, {Key: knob.ParseKey("nr_requests@data"), Value: "64"},
			}}})
		},
		`environments[0].tuning[0]: environments.a.tuning: CloudNativePG sets archive_mode itself | leave it out, or use operator: none`: func(l lab) {
			l.onKubernetes(l.a, experiment.OperatorCNPG)
			l.a.Tuning = []experiment.Tuning{set("archive_mode", "on")}
		},
		`environments[1].tuning[0]: environments.b.tuning: pod.qos: it applies only with kubernetes | add without: [pod.qos]`: func(l lab) {
			l.b.Tuning = []experiment.Tuning{{Name: "pod-guaranteed"}}
		},
		`environments[0].tuning: environments.a: tuning cannot be combined with kubernetes: {existing: ...} | leave it out: plinth does not create the server`: func(l lab) {
			l.a.Kubernetes.Existing, l.a.Storage, l.a.Disposable = "cluster/orders", experiment.Storage{}, true
			l.a.Tuning = []experiment.Tuning{{Name: "aws-matched"}}
		},
		`environments[0].kubernetes.secret: environments.a.kubernetes: secret applies only to an existing Service | leave it out, or use existing: service/NAME; plinth knows the Secrets of other servers`: func(l lab) {
			l.a.Kubernetes.Existing, l.a.Kubernetes.Secret, l.a.Storage, l.a.Disposable = "cluster/orders", "users", experiment.Storage{}, true
		},
		`environments[0].kubernetes.secret: environments.a.kubernetes.secret: a Secret cannot be named "Users!" | give the name of a Secret`: func(l lab) {
			l.a.Kubernetes.Existing, l.a.Kubernetes.Secret, l.a.Storage, l.a.Disposable = "service/orders", "Users!", experiment.Storage{}, true
		},
		`settings: settings cannot apply to environment a, which uses an existing server (kubernetes.existing) | set environments.NAME.settings for each environment whose server plinth creates`: func(l lab) {
			l.a.Kubernetes.Existing, l.a.Storage, l.a.Disposable = "cluster/orders", experiment.Storage{}, true
			l.Settings = map[string]string{"work_mem": "8MB"}
		},
	}.test(t)
}

// Every setting that CloudNativePG determines is refused by name, wherever it is declared, and only
// for its environments.
func TestSettingsOfCloudNativePG(t *testing.T) {
	for _, name := range knob.FixedByCNPG() {
		if ownSettings[name] != "" {
			continue // refused for every server
		}
		l := newLab()
		l.onKubernetes(l.a, experiment.OperatorCNPG)
		l.onKubernetes(l.b, experiment.OperatorNone)
		l.Settings = map[string]string{name: "x"}
		hint := insteadOfFixed[name]
		if hint == "" {
			hint = "leave it out, or use operator: none"
		}
		want := fmt.Sprintf("settings.%s: environments.a: CloudNativePG sets %s itself | %s", name, name, hint)
		if got, _ := l.check(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
