package survey

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/kube/cluster"
)

// Class is a storage class.
// https://kubernetes.io/docs/concepts/storage/storage-classes/
type Class struct {
	Name        string            `json:"name"`
	Provisioner string            `json:"provisioner"`
	Product     string            `json:"product,omitempty"`
	Where       Where             `json:"where"`
	Replicas    int               `json:"replicas,omitempty"`
	Parameters  map[string]string `json:"parameters"`
	Reclaim     string            `json:"reclaim_policy"`
	Binding     string            `json:"binding_mode"`
	Expandable  bool              `json:"expandable"`
	Options     []string          `json:"mount_options"`
	Default     bool              `json:"default"`
	Source      string            `json:"source,omitempty"` // of what is known about the provisioner
}

// Where says where the volumes of a storage class are.
type Where string

// The places. A volume of a cloud is attached over the provider's network.
const (
	Local   Where = "local"
	Network Where = "network"
	Cloud   Where = "cloud"
	Unknown Where = "unknown"
)

// provisioner holds the known facts about the storage of a provisioner.
type provisioner struct {
	name     string // an asterisk at its beginning or end stands for any text
	product  string
	where    Where
	replicas []string // the parameters of a class that say how many replicas a volume has
	source   string
}

const (
	drivers  = "https://kubernetes-csi.github.io/docs/drivers.html"
	longhorn = "https://longhorn.io/docs/latest/references/storage-class-parameters/"
	mayastor = "https://openebs.io/docs/user-guides/replicated-storage-user-guide/replicated-pv-mayastor/configuration/rs-storage-class-parameters"
	openebs  = "https://openebs.io/docs/concepts/data-engines/localstorage"
	rook     = "https://rook.io/docs/rook/latest/Storage-Configuration/Block-Storage-RBD/block-storage/"
)

// provisioners lists known provisioners.
var provisioners = []provisioner{
	{"rancher.io/local-path", "a directory of the node (local-path)", Local, nil, "https://github.com/rancher/local-path-provisioner"},
	{"openebs.io/local", "a directory of the node (OpenEBS)", Local, nil, openebs},
	{"local.csi.openebs.io", "LVM on the node (OpenEBS)", Local, nil, openebs},
	{"zfs.csi.openebs.io", "ZFS on the node (OpenEBS)", Local, nil, openebs},
	{"topolvm.io", "LVM on the node (TopoLVM)", Local, nil, "https://github.com/topolvm/topolvm"},
	{"topolvm.cybozu.com", "LVM on the node (TopoLVM)", Local, nil, "https://github.com/topolvm/topolvm"},
	{"directpv-min-io", "a disk of the node (DirectPV)", Local, nil, "https://github.com/minio/directpv"},
	{"k8s.io/minikube-hostpath", "a directory of the node (minikube)", Local, nil, "https://minikube.sigs.k8s.io/docs/handbook/persistent_volumes/"},
	{"docker.io/hostpath", "a directory of the node (Docker Desktop)", Local, nil, "https://docs.docker.com/desktop/features/kubernetes/"},
	{"microk8s.io/hostpath", "a directory of the node (MicroK8s)", Local, nil, "https://microk8s.io/docs/addon-hostpath-storage"},
	{"hostpath.csi.k8s.io", "a directory of the node (an example of a driver)", Local, nil, drivers},

	{"driver.longhorn.io", "Longhorn", Network, []string{"numberOfReplicas"}, longhorn},
	{"io.openebs.csi-mayastor", "OpenEBS Mayastor", Network, []string{"repl"}, mayastor},
	{"cstor.csi.openebs.io", "OpenEBS cStor", Network, []string{"replicaCount"}, "https://github.com/openebs/cstor-csi"},
	{"*rbd.csi.ceph.com", "Ceph RBD", Network, nil, rook},
	{"*cephfs.csi.ceph.com", "CephFS", Network, nil, drivers},
	{"linstor.csi.linbit.com", "DRBD (LINSTOR)", Network,
		[]string{"linstor.csi.linbit.com/placementCount", "linstor.csi.linbit.com/autoPlace", "placementCount", "autoPlace"}, "https://github.com/piraeusdatastore/linstor-csi"},
	{"pxd.portworx.com", "Portworx", Network, []string{"repl"}, "https://docs.portworx.com/portworx-enterprise/reference/storageclass"},
	{"kubernetes.io/portworx-volume", "Portworx", Network, []string{"repl"}, "https://docs.portworx.com/portworx-enterprise/reference/storageclass"},
	{"nfs.csi.k8s.io", "NFS", Network, nil, drivers},
	{"*nfs-subdir-external-provisioner", "NFS", Network, nil, "https://github.com/kubernetes-sigs/nfs-subdir-external-provisioner"},
	{"smb.csi.k8s.io", "SMB", Network, nil, drivers},
	{"org.democratic-csi.*", "TrueNAS or ZFS on another machine (democratic-csi)", Network, nil, drivers},
	{"csi.trident.netapp.io", "NetApp", Network, nil, drivers},
	{"csi.vsphere.vmware.com", "a disk of vSphere", Network, nil, drivers},
	{"cinder.csi.openstack.org", "OpenStack Cinder", Network, nil, drivers},

	{"ebs.csi.aws.com", "Amazon EBS", Cloud, nil, drivers},
	{"kubernetes.io/aws-ebs", "Amazon EBS", Cloud, nil, "https://kubernetes.io/docs/concepts/storage/storage-classes/#aws-ebs"},
	{"efs.csi.aws.com", "Amazon EFS (NFS)", Network, nil, drivers},
	{"pd.csi.storage.gke.io", "Google Persistent Disk", Cloud, nil, drivers},
	{"kubernetes.io/gce-pd", "Google Persistent Disk", Cloud, nil, "https://kubernetes.io/docs/concepts/storage/storage-classes/"},
	{"disk.csi.azure.com", "Azure managed disk", Cloud, nil, drivers},
	{"kubernetes.io/azure-disk", "Azure managed disk", Cloud, nil, "https://kubernetes.io/docs/concepts/storage/storage-classes/"},
	{"file.csi.azure.com", "Azure Files", Network, nil, drivers},
	{"csi.hetzner.cloud", "Hetzner Cloud volume", Cloud, nil, drivers},
	{"dobs.csi.digitalocean.com", "DigitalOcean volume", Cloud, nil, drivers},
	{"linodebs.csi.linode.com", "Linode volume", Cloud, nil, drivers},
	{"diskplugin.csi.alibabacloud.com", "Alibaba Cloud disk", Cloud, nil, drivers},
	{"vpc.block.csi.ibm.io", "IBM Cloud volume", Cloud, nil, drivers},
}

// known returns what is known about a provisioner.
func known(name string) provisioner {
	i := slices.IndexFunc(provisioners, func(p provisioner) bool {
		if end, is := strings.CutPrefix(p.name, "*"); is {
			return strings.HasSuffix(name, end)
		}
		if begin, is := strings.CutSuffix(p.name, "*"); is {
			return strings.HasPrefix(name, begin)
		}
		return name == p.name
	})
	if i < 0 {
		return provisioner{where: Unknown}
	}
	return provisioners[i]
}

func (s *Survey) readClasses(ctx context.Context, c *cluster.Cluster) {
	classes, err := c.StorageClasses(ctx)
	if err != nil {
		s.gap("the storage classes", err, cluster.RuleOf("storage.k8s.io", "storageclasses", "list"))
		return
	}
	s.classesKnown = true
	for _, one := range classes {
		class := classOf(one)
		if class.Product == "Ceph RBD" {
			s.readPool(ctx, c, &class)
		}
		s.Classes = append(s.Classes, class)
	}
}

func classOf(s cluster.StorageClass) Class {
	p := known(s.Provisioner)
	class := Class{
		Name: s.Name, Provisioner: s.Provisioner, Product: p.product, Where: p.where, Parameters: s.Parameters, Source: p.source,
		Reclaim: s.Reclaim, Binding: s.Binding, Expandable: s.Expandable, Options: s.Options, Default: s.Default,
	}
	for _, name := range p.replicas {
		if n, err := strconv.Atoi(s.Parameters[name]); err == nil {
			class.Replicas = n
			break
		}
	}
	// Longhorn then has one replica, on the node of the pod, and does without the network.
	// https://longhorn.io/docs/latest/high-availability/data-locality/
	if s.Parameters["dataLocality"] == "strict-local" && p.product == "Longhorn" {
		class.Where = Local
	}
	return class
}

// readPool reads how many replicas a pool of Ceph has, from the object with which Rook has made it. A
// Ceph outside the cluster has no such object.
func (s *Survey) readPool(ctx context.Context, c *cluster.Cluster, class *Class) {
	pool := class.Parameters["dataPool"]
	if pool == "" {
		pool = class.Parameters["pool"]
	}
	answer, err := c.Raw(ctx, "/apis/ceph.rook.io/v1/namespaces/"+class.Parameters["clusterID"]+"/cephblockpools/"+pool, nil)
	if err == nil {
		class.Replicas, err = poolReplicas(answer)
	}
	if err != nil {
		s.gap("the replicas of the storage class "+class.Name, err, cluster.RuleOf("ceph.rook.io", "cephblockpools", "get"))
	}
}

func poolReplicas(answer []byte) (int, error) {
	var pool struct {
		Spec struct {
			Replicated struct{ Size int }
		}
	}
	if err := json.Unmarshal(answer, &pool); err != nil {
		return 0, err
	}
	if pool.Spec.Replicated.Size == 0 {
		return 0, errors.New("the pool is not replicated")
	}
	return pool.Spec.Replicated.Size, nil
}
