package manifest

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/engine/postgres/setting"
	"plinth/internal/experiment"
)

// GroupCNPG is the API group of CloudNativePG, and LabelCNPG the label of the pods of its Clusters.
const (
	GroupCNPG = "postgresql.cnpg.io"
	LabelCNPG = "cnpg.io/cluster"
)

// imageCNPG is the repository of CloudNativePG's own images, and variantCNPG what follows a version in their tags:
// tags of a version alone, which the project no longer recommends, do not say which Debian is in the image.
//
// https://github.com/cloudnative-pg/postgres-containers
const (
	imageCNPG   = "ghcr.io/cloudnative-pg/postgresql"
	variantCNPG = "-standard-trixie"
)

// tempTablespace is the tablespace for temporary files, as in the servers that plinth creates elsewhere.
const tempTablespace = "plinth_temp"

// cluster returns a Cluster of CloudNativePG 1.28.
//
// https://cloudnative-pg.io/docs/1.28/cloudnative-pg.v1
func (p Plan) cluster(env experiment.Environment) Object {
	spec := Object{
		"instances": int64(env.Kubernetes.Instances),
		// The pods and volumes that the operator creates have the labels, too, except that the
		// operator manages them.
		"inheritedMetadata": meshless(Object{"labels": p.selector(env.Name, roleServer)}),
		// plinth creates its database, and reads statistics, as a superuser: the operator keeps its
		// password in a Secret of its own.
		"enableSuperuserAccess": true,
		"storage":               clusterStorage(env.Storage.Data),
		"postgresql":            p.clusterPostgres(env),
		"affinity": Object{
			"enablePodAntiAffinity": true, "podAntiAffinityType": "preferred", "topologyKey": nodeKey,
		},
	}
	if p.Experiment.Durability.Fault == experiment.FaultDrain && env.Kubernetes.Instances == 1 {
		// Otherwise, the only instance could not be evicted.
		spec["enablePDB"] = false
	}
	clusterImage(spec, env)
	if env.Storage.WAL.There() {
		spec["walStorage"] = clusterStorage(env.Storage.WAL)
	}
	if spaces := clusterTablespaces(env.Storage); len(spaces) > 0 {
		spec["tablespaces"] = spaces
	}
	if r := resources(env.Limits); r != nil {
		spec["resources"] = r
	}
	return Object{"apiVersion": GroupCNPG + "/v1", "kind": "Cluster", "metadata": p.metadata(p.name(env.Name, roleServer), p.labels(env.Name, roleServer)), "spec": spec}
}

// clusterImage selects the image of a Cluster. Without it, the operator uses its default.
func clusterImage(spec Object, env experiment.Environment) {
	k, version := env.Kubernetes, env.Postgres.Version
	switch kind, name, _ := strings.Cut(k.Catalog, "/"); {
	case k.Image != "":
		spec["imageName"] = k.Image
	case kind != "":
		spec["imageCatalogRef"] = Object{
			"apiGroup": GroupCNPG, "kind": map[string]string{"imagecatalog": "ImageCatalog", "clusterimagecatalog": "ClusterImageCatalog"}[kind],
			"name": name, "major": int64(version),
		}
	case version != 0:
		spec["imageName"] = imageCNPG + ":" + strconv.Itoa(version) + variantCNPG
	}
}

// clusterPostgres returns the settings of a Cluster, and its synchronous replication.
func (p Plan) clusterPostgres(env experiment.Environment) Object {
	parameters := Object{}
	for name, value := range p.settings(env) {
		parameters[name] = value
	}
	postgres := Object{"parameters": parameters}
	if s := env.Kubernetes.Synchronous; s.There() {
		synchronous := Object{"method": s.Method, "number": int64(s.Number), "dataDurability": s.DataDurability}
		if s.FailoverQuorum {
			synchronous["failoverQuorum"] = true
		}
		postgres["synchronous"] = synchronous
	}
	return postgres
}

// clusterStorage returns the storage of a Cluster's volume.
func clusterStorage(v experiment.Volume) Object {
	return Object{"storageClass": v.Class, "size": quantity(v.Size)}
}

// clusterTablespaces returns the tablespaces of a Cluster. CloudNativePG sets temp_tablespaces to the
// temporary ones.
func clusterTablespaces(s experiment.Storage) []any {
	var spaces []any
	if s.Temp.There() {
		spaces = append(spaces, Object{"name": tempTablespace, "temporary": true, "storage": clusterStorage(s.Temp)})
	}
	for _, t := range s.Tablespaces {
		spaces = append(spaces, Object{"name": t.Name, "storage": clusterStorage(t.Volume)})
	}
	return spaces
}

// settings returns the settings of a PostgreSQL server: those of every server that plinth creates, and
// those that the file declares.
func (p Plan) settings(env experiment.Environment) map[string]string {
	settings := setting.Observing(env.Postgres.Version)
	settings["max_connections"] = strconv.Itoa(p.Experiment.EnoughConnections())
	for name, value := range p.Experiment.SettingsOf(env) {
		settings[strings.ToLower(name)] = value
	}
	return settings
}

// sorted returns the names of settings in order.
func sorted(settings map[string]string) []string { return slices.Sorted(maps.Keys(settings)) }
