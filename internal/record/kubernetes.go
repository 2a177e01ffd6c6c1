package record

// Kubernetes describes a server that runs on Kubernetes.
type Kubernetes struct {
	Cluster   string `json:"cluster"`   // the version of the API server: "v1.33.13"
	Operator  string `json:"operator"`  // "cnpg", "none", or "existing"
	Object    string `json:"object"`    // that runs the server: "Cluster plinth-1a2b3c4d-server-local"
	Namespace string `json:"namespace"` // of everything
	Instances int    `json:"instances"` // servers: the primary and its replicas

	// Synchronous replication, as CloudNativePG declares it; nil if commits do not wait for replicas.
	Synchronous *Synchronous `json:"synchronous,omitempty"`

	// The pod of the server, or of the primary; empty for an existing Service.
	Pod     string `json:"pod,omitempty"`
	Node    string `json:"node,omitempty"`
	Image   string `json:"image,omitempty"`
	ImageID string `json:"image_id,omitempty"` // with its digest
	QoS     string `json:"qos,omitempty"`      // "Guaranteed", "Burstable" or "BestEffort"

	// Granted describes what the pod has on its node; nil if plinth's pod there is not privileged.
	Granted *Granted `json:"granted,omitempty"`

	// The policies of the node's kubelet: "none", "static", "single-numa-node"; empty if they may not be read.
	CPUManager      string `json:"cpu_manager,omitempty"`
	TopologyManager string `json:"topology_manager,omitempty"`
	MemoryManager   string `json:"memory_manager,omitempty"`

	Claims []Claim `json:"claims,omitempty"`

	// Reader says whether plinth's pod on the server's node sees all of the node ("privileged"), or only
	// what every pod sees ("plain").
	Reader string `json:"reader"`
}

// Granted describes what a server's pod has on its node, as the processes there show it.
type Granted struct {
	CPUs      string `json:"cpus"`             // that the server may run on
	Others    int    `json:"other_pods"`       // with processes that may run on these CPUs; 0 if the CPUs are exclusive
	Nodes     string `json:"memory_nodes"`     // NUMA nodes that its memory may come from
	HugePages int64  `json:"huge_pages_bytes"` // that the server has mapped

	// Memory is that of the server's first process by NUMA node; absent if the kernel does not say it.
	Memory map[string]int64 `json:"memory_bytes,omitempty"`
}

// Synchronous is the synchronous replication of a CloudNativePG Cluster. With the durability "required",
// writes wait while too few replicas are there.
type Synchronous struct {
	Method     string `json:"method"` // "any" or "first"
	Number     int    `json:"number"` // of replicas that a commit waits for
	Durability string `json:"data_durability"`
}

// Claim is a volume that a storage class has provided.
type Claim struct {
	Role        string            `json:"role"`  // "data", "wal", "temp" or "tablespace NAME"
	Class       string            `json:"class"` // its storage class
	Size        int64             `json:"size_bytes"`
	Provisioner string            `json:"provisioner,omitempty"` // of the class; empty if the class may not be read
	Parameters  map[string]string `json:"parameters,omitempty"`  // of the class
	Options     []string          `json:"mount_options,omitempty"`
}
