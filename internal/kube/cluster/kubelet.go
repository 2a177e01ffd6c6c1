package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Policies are the settings of a kubelet that decide where the pods of its node run: "none", "static".
// https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
type Policies struct {
	CPUManager, TopologyManager, MemoryManager, ReservedCPUs string
}

// kubeletWithin is how long a kubelet may take to answer.
const kubeletWithin = 10 * time.Second

// AskKubelet returns what the kubelet of a node answers at a path, through the API server.
func (c *Cluster) AskKubelet(ctx context.Context, node, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, kubeletWithin, fmt.Errorf("the kubelet does not answer within %s", kubeletWithin))
	defer cancel()
	answer, err := c.Raw(ctx, "/api/v1/nodes/"+node+"/proxy/"+path, nil)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return answer, err
}

// Policies returns the policies of a node's kubelet.
func (c *Cluster) Policies(ctx context.Context, node string) (Policies, error) {
	answer, err := c.AskKubelet(ctx, node, "configz")
	if err != nil {
		return Policies{}, err
	}
	return policies(answer)
}

// policies reads what a kubelet answers at /configz.
func policies(answer []byte) (Policies, error) {
	var config struct {
		Kubelet *struct {
			CPUManagerPolicy, TopologyManagerPolicy, MemoryManagerPolicy, ReservedSystemCPUs string
		} `json:"kubeletconfig"`
	}
	if err := json.Unmarshal(answer, &config); err != nil || config.Kubelet == nil {
		return Policies{}, errors.Join(errors.New("the kubelet's configuration cannot be read"), err)
	}
	k := config.Kubelet
	return Policies{k.CPUManagerPolicy, k.TopologyManagerPolicy, k.MemoryManagerPolicy, k.ReservedSystemCPUs}, nil
}
