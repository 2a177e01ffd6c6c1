// Command provisioner makes the volumes of a cluster for tests: directories below the one that a
// storage class names in its parameter "path". It runs on the node itself, so it needs no pods to
// make and remove them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v11/controller"
)

// directories provisions volumes that are directories of the node.
type directories struct{}

// Provision makes a directory that every user may write: the kubelet does not change the owner of a
// volume that is a path of the node.
func (directories) Provision(_ context.Context, o controller.ProvisionOptions) (*core.PersistentVolume, controller.ProvisioningState, error) {
	pool := o.StorageClass.Parameters["path"]
	if !filepath.IsAbs(pool) {
		return nil, controller.ProvisioningFinished, fmt.Errorf("cannot make a volume: storage class %s has no absolute path in its parameters", o.StorageClass.Name)
	}
	path := filepath.Join(pool, o.PVName)
	if err := os.Mkdir(path, 0o777); err != nil && !os.IsExist(err) {
		return nil, controller.ProvisioningFinished, err
	}
	if err := os.Chmod(path, 0o777); err != nil { // whatever the umask
		return nil, controller.ProvisioningFinished, err
	}
	return &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: o.PVName},
		Spec: core.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			AccessModes:                   o.PVC.Spec.AccessModes,
			Capacity:                      core.ResourceList{core.ResourceStorage: o.PVC.Spec.Resources.Requests[core.ResourceStorage]},
			PersistentVolumeSource:        core.PersistentVolumeSource{HostPath: &core.HostPathVolumeSource{Path: path}},
		},
	}, controller.ProvisioningFinished, nil
}

// Delete removes the directory.
func (directories) Delete(_ context.Context, volume *core.PersistentVolume) error {
	return os.RemoveAll(volume.Spec.HostPath.Path)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return fmt.Errorf("cannot read KUBECONFIG: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot connect to the cluster: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	controller.NewProvisionController(ctx, client, "plinth.test/directory", directories{},
		controller.LeaderElection(false)).Run(ctx)
	return nil
}
