package survey

import "fmt"

var accessRules = []rule{
	{
		name: "rights-missing", weight: 64, check: rightsMissing,
		benchmark: "plinth run ends before it creates anything", production: "",
		do: "add the rules below to a Role in the namespace {}, and bind it to this account",
	},
	{
		name: "cnpg-old", weight: 63, check: oldCNPG,
		benchmark: "an experiment that uses these fields cannot be run", production: "",
		do: "install CloudNativePG 1.28 or later (https://cloudnative-pg.io/docs/)",
	},
	{
		name: "namespace-absent", weight: 57, check: absent,
		benchmark: "plinth run has to create it, which needs a right for the whole cluster", production: "",
		do: "kubectl create namespace {}, or choose another one with --namespace",
	},
	{
		name: "pod-security", weight: 33, check: podSecurity,
		benchmark: "a pod that reads the node's telemetry cannot be created: only that of the server's own pod is recorded", production: "",
		do: "kubectl label --overwrite namespace {} " + enforced + "=privileged",
	},
	{
		name: "no-cnpg", weight: 32, check: noCNPG,
		benchmark: "only servers of plinth's own (operator: none), and existing ones, can be measured", production: "",
		do: "install CloudNativePG 1.28 or later (https://cloudnative-pg.io/docs/)",
	},
}

// rightsMissing names the objects; the rules say what may not be done with them.
func rightsMissing(s *Survey) string {
	var all []string
	for _, r := range s.Missing {
		all = append(all, r.Resources...)
	}
	return when(all, fmt.Sprintf("plinth run needs rights in the namespace %s that this account lacks, on %%s", s.Namespace.Name))
}

func absent(s *Survey) string {
	if s.Namespace.Absent {
		return "the namespace " + s.Namespace.Name + " does not exist"
	}
	return ""
}

func podSecurity(s *Survey) string {
	if profile := s.Namespace.PodSecurity; profile != "" && profile != "privileged" {
		return fmt.Sprintf("the namespace %s admits no privileged pods (%s: %s)", s.Namespace.Name, enforced, profile)
	}
	return ""
}

func noCNPG(s *Survey) string {
	if s.CNPG.asked && !s.CNPG.Installed {
		return "CloudNativePG is not installed"
	}
	return ""
}

func oldCNPG(s *Survey) string {
	name := "CloudNativePG"
	if s.CNPG.Version != "" {
		name += " " + s.CNPG.Version
	}
	return when(s.CNPG.Lacks, name+" lacks fields of its Cluster: %s")
}
