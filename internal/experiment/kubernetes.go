package experiment

import (
	"slices"
	"strings"
)

// Cluster is the Kubernetes cluster of an experiment.
type Cluster struct {
	Context   string `yaml:"context" doc:"Context of the kubeconfig file that kubectl uses. Default: the current one, or the cluster itself if plinth runs in one of its pods."`
	Namespace string `yaml:"namespace" doc:"Namespace in which plinth creates everything. plinth creates the namespace if it does not exist, and then deletes it at the end. Default: that of the context."`
	Image     string `yaml:"image" doc:"Image of plinth, for the pods of load generators. Default: localhost/plinth, with plinth's version as its tag."`
}

// The operators that can run a server on Kubernetes.
const (
	OperatorCNPG = "cnpg" // CloudNativePG
	OperatorNone = "none"
)

// Kubernetes defines how the server of an environment runs on Kubernetes. Either Operator or Existing
// is set.
type Kubernetes struct {
	Operator    string      `yaml:"operator" enum:"cnpg,none" doc:"What runs the server. cnpg: CloudNativePG, as a Cluster. none: plinth itself, as a StatefulSet."`
	Existing    string      `yaml:"existing" doc:"An existing server in the namespace: cluster/NAME (of CloudNativePG) or service/NAME. It requires disposable: true, and cannot be combined with settings, limits or storage."`
	Secret      string      `yaml:"secret" doc:"With existing: service/NAME: the Secret with the password of the server in its key password, and perhaps the user in its key username. Default: none: the server asks for no password."`
	Image       string      `yaml:"image" doc:"Image of the server. Default: that of CloudNativePG, or the official one of PostgreSQL, Redis or Valkey. With operator: none, the image needs the entrypoint of the official one."`
	Catalog     string      `yaml:"catalog" engine:"postgres" doc:"With cnpg: the catalog with the server's image, for the version in postgres: imagecatalog/NAME or clusterimagecatalog/NAME."`
	Instances   int         `yaml:"instances" engine:"postgres" min:"1" max:"100" doc:"With cnpg: number of servers: a primary and its replicas. Default: 1."`
	Synchronous Synchronous `yaml:"synchronous" engine:"postgres" doc:"With cnpg and several instances: commits wait for replicas. Default: they do not wait."`
}

// Synchronous is the synchronous replication of a CloudNativePG cluster. Its keys are those of
// CloudNativePG's own postgresql.synchronous.
type Synchronous struct {
	Method         string `yaml:"method" enum:"any,first" doc:"any (default): commits wait for any of the replicas. first: for the first ones of the list."`
	Number         int    `yaml:"number" min:"1" max:"99" doc:"Number of replicas for which commits wait. Default: 1."`
	DataDurability string `yaml:"dataDurability" enum:"required,preferred" doc:"If too few replicas are available. required (default): commits wait until there are enough. preferred: commits wait for those that are available."`
	FailoverQuorum bool   `yaml:"failoverQuorum" doc:"Whether CloudNativePG promotes a replica only if no acknowledged commit can be missing there."`
}

// There reports whether an environment runs on Kubernetes.
func (k Kubernetes) There() bool { return k != Kubernetes{} }

// Of returns the kind and the name of an existing server: "cluster" and "orders".
func (k Kubernetes) Of() (kind, name string) {
	kind, name, _ = strings.Cut(k.Existing, "/")
	return kind, name
}

// There reports whether commits wait for replicas.
func (s Synchronous) There() bool { return s != Synchronous{} }

// Existing reports whether the server of an environment is not created by plinth.
func (e *Environment) Existing() bool { return e.Connect != "" || e.Kubernetes.Existing != "" }

// OnKubernetes returns the environments that run on Kubernetes.
func (e *Experiment) OnKubernetes() []Environment {
	return slices.DeleteFunc(slices.Clone(e.Environments), func(env Environment) bool { return !env.Kubernetes.There() })
}
