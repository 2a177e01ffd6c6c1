package cluster

import (
	"context"
	"reflect"
	"testing"

	"plinth/internal/unit"
)

func TestNodesAndStorageClasses(t *testing.T) {
	c, _ := fakeCluster(t, `
apiVersion: v1
kind: Node
metadata: {name: b, labels: {topology.kubernetes.io/zone: z1, node.kubernetes.io/instance-type: m7i}}
spec: {unschedulable: true, taints: [{key: db, value: only, effect: NoSchedule}]}
status:
  capacity: {cpu: "2", memory: 9Gi}
  allocatable: {cpu: 1900m, memory: 8Gi, hugepages-2Mi: 2Gi, hugepages-1Gi: "0"}
  conditions: [{type: Ready, status: "True"}, {type: MemoryPressure, status: "True"}, {type: DiskPressure, status: "False"}, {type: KernelReady, status: "True"}]
  nodeInfo: {kernelVersion: 6.1.0, osImage: Debian, architecture: amd64, containerRuntimeVersion: containerd://1.7, kubeletVersion: v1.33.13}
---
{apiVersion: v1, kind: Node, metadata: {name: a}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: longhorn, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: driver.longhorn.io
parameters: {numberOfReplicas: "2", passphrase: s3cret}
reclaimPolicy: Retain
volumeBindingMode: Immediate
allowVolumeExpansion: true
mountOptions: [noatime, password=s3cret]
`)
	nodes, err := c.Nodes(context.Background())
	for i := range nodes {
		nodes[i].labels = nil
	}
	want := []Node{{Name: "a", HugePages: map[string]unit.Size{}}, {
		Name: "b", Ready: true, Cordoned: true, Taints: []string{"db=only:NoSchedule"}, Pressure: []string{"MemoryPressure"},
		CPUs: 1.9, AllCPUs: 2, Memory: 8 * unit.GiB, AllMemory: 9 * unit.GiB, HugePages: map[string]unit.Size{"2Mi": 2 * unit.GiB}, Architecture: "amd64", Kernel: "6.1.0", OS: "Debian",
		Runtime: "containerd://1.7", Kubelet: "v1.33.13", Zone: "z1", InstanceType: "m7i",
	}}
	if err != nil || !reflect.DeepEqual(nodes, want) {
		t.Errorf("nodes: %+v, %v", nodes, err)
	}
	classes, err := c.StorageClasses(context.Background())
	if err != nil || !reflect.DeepEqual(classes, []StorageClass{{
		Name: "longhorn", Provisioner: "driver.longhorn.io", Parameters: map[string]string{"numberOfReplicas": "2", "passphrase": notShown}, Reclaim: "Retain",
		Binding: "Immediate", Expandable: true, Default: true, Options: []string{"noatime", "password=" + notShown},
	}}) {
		t.Errorf("classes: %+v, %v", classes, err)
	}
}

func TestSecretsOfMountOptions(t *testing.T) {
	for options, want := range map[string]string{
		"noatime":                   "noatime",
		"password=a":                "password=" + notShown,
		"username=u,password=a=b":   "username=u,password=" + notShown,
		"pass=a,ro,password2=b":     "pass=" + notShown + ",ro,password2=" + notShown,
		"vers=4.1,PWD=a,secret=b,=": "vers=4.1,PWD=" + notShown + ",secret=" + notShown + ",=",
		"credentials=/etc/smb,rw":   "credentials=" + notShown + ",rw",
	} {
		if got := withoutSecrets(options); got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}
