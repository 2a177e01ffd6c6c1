package inspection

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"plinth/internal/inspect"
	"plinth/internal/kube/survey"
	"plinth/internal/prose"
	"plinth/internal/report/output"
	"plinth/internal/report/phrase"
)

// WriteCluster writes the facts of a Kubernetes cluster, and the findings.
func WriteCluster(w io.Writer, s *survey.Survey, format string, opts Options) error {
	return output.Write(w, format, opts.Width, output.Forms{
		Document: func() (prose.Document, error) { return clusterDocument(s, opts), nil },
		Value:    func() (any, error) { return s, nil },
	})
}

func clusterDocument(s *survey.Survey, opts Options) prose.Document {
	d := prose.Document{prose.Heading("The cluster"), prose.FactSheet(clusterFacts(s))}
	d.Add(prose.Heading(findingsTitle(s.Findings)), findingList{s.Findings, opts.Colour})
	if len(s.Missing) > 0 {
		d.Add(prose.Paragraph("The rules that this account lacks in the namespace "+s.Namespace.Name+", for a Role:"), prose.Code(rulesText(s.Missing)))
	}
	if len(s.Gaps) > 0 {
		d.Add(prose.Paragraph("Not visible: " + strings.Join(gapTexts(s.Gaps), "; ") + "."))
	}
	if len(s.WouldAdd) > 0 {
		d.Add(prose.Paragraph("A ClusterRole with these rules would add the rest:"), prose.Code(rulesText(s.WouldAdd)))
		if slices.ContainsFunc(s.WouldAdd, func(r survey.Rule) bool { return slices.Contains(r.Resources, survey.KubeletResource) }) {
			d.Add(prose.Paragraph("Note that with nodes/proxy, an account can also run commands in any pod."))
		}
	}
	return d
}

func gapTexts(gaps []inspect.Gap) []string {
	texts := make([]string, len(gaps))
	for i, g := range gaps {
		texts[i] = g.What + " (" + g.Why + ")"
	}
	return texts
}

// rulesText returns rules as they appear in the YAML of a Role.
func rulesText(rules []survey.Rule) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for _, r := range rules {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

// shownNodes is how many nodes are described; the JSON has all of them.
const shownNodes = 20

func clusterFacts(s *survey.Survey) []prose.Fact {
	namespace := phrase.Join(", ", s.Namespace.Name, phrase.When(s.Namespace.Absent, "does not exist"), phrase.When(s.Namespace.PodSecurity != "", "pods: %s", s.Namespace.PodSecurity))
	facts := []prose.Fact{
		{Name: "cluster", Text: fmt.Sprintf("%s, Kubernetes %s, %s", s.Cluster, s.Version, phrase.Plural(len(s.Nodes), "node"))},
		{Name: "namespace", Text: namespace},
		{Name: "CloudNativePG", Text: cnpgLine(s.CNPG)},
	}
	for i, n := range s.Nodes {
		if i == shownNodes {
			facts = append(facts, prose.Fact{Text: fmt.Sprintf("and %d more, which --json shows", len(s.Nodes)-i)})
			break
		}
		facts = append(facts, nodeFacts(n)...)
	}
	for _, c := range s.Classes {
		facts = append(facts, prose.Fact{Name: "storage class", Text: classLine(c)})
		if len(c.Parameters) > 0 {
			facts = append(facts, prose.Fact{Text: parametersLine(c.Parameters)})
		}
	}
	return slices.DeleteFunc(facts, func(f prose.Fact) bool { return f.Text == "" })
}

func cnpgLine(c survey.CNPG) string {
	if !c.Installed {
		return ""
	}
	version := phrase.When(c.Version != "", "%s", c.Version)
	if version == "" {
		version = "installed, version unknown"
	}
	return phrase.Join(", ", version, c.Image)
}

func nodeFacts(n survey.Node) []prose.Fact {
	machine := phrase.Join(", ", fmt.Sprintf("%s, %s for pods", phrase.Plural(int(n.CPUs), "CPU"), phrase.Count(n.PodCPUs)),
		fmt.Sprintf("memory %s, %s for pods", phrase.Bytes(n.Memory), phrase.Bytes(n.PodMemory)), hugePagesWords(n.HugePages), n.InstanceType, n.Zone)
	state := phrase.Join(", ", n.Repels(), strings.Join(n.Pressure, ", "))
	facts := []prose.Fact{
		{Name: "node", Text: phrase.Join("; ", n.Name+": "+machine, state)},
		{Text: phrase.Join(", ", n.OS, n.Architecture, phrase.When(n.Kernel != "", "Linux %s", n.Kernel), n.Runtime, phrase.When(n.KubeletIs != "", "kubelet %s", n.KubeletIs))},
	}
	if p := n.Pods; p != nil {
		facts = append(facts, prose.Fact{Text: fmt.Sprintf("%s: %s CPUs and %s requested; limits of %s CPUs and %s", phrase.Plural(p.Count, "pod"),
			phrase.Count(p.RequestedCPUs), phrase.Bytes(p.RequestedMemory), phrase.Count(p.LimitCPUs), phrase.Bytes(p.LimitMemory))})
	}
	if p := n.Policies; p != nil {
		facts = append(facts, prose.Fact{Text: phrase.Join(", ", "CPU manager "+p.CPUManager, "topology manager "+p.TopologyManager, "memory manager "+p.MemoryManager,
			phrase.When(p.ReservedCPUs != "", "reserved CPUs %s", p.ReservedCPUs))})
	}
	return facts
}

func hugePagesWords(pages map[string]int64) string {
	var all []string
	for _, size := range slices.Sorted(maps.Keys(pages)) {
		all = append(all, phrase.Bytes(pages[size])+" in huge pages of "+size)
	}
	if all == nil {
		return "no huge pages"
	}
	return strings.Join(all, ", ")
}

func classLine(c survey.Class) string {
	where := map[survey.Where]string{survey.Local: "on the node", survey.Network: "across a network", survey.Cloud: "a volume of the cloud", survey.Unknown: "unknown storage"}[c.Where]
	return c.Name + ": " + phrase.Join(", ", c.Product, where, phrase.When(c.Replicas > 0, "%s", phrase.Plural(c.Replicas, "replica")), c.Provisioner,
		c.Reclaim, c.Binding, phrase.When(c.Expandable, "can grow"), phrase.When(c.Default, "the default"), phrase.When(len(c.Options) > 0, "mounted with %s", strings.Join(c.Options, ",")))
}

// parametersLine shows the parameters of a class, except those that name Secrets.
func parametersLine(parameters map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !strings.HasPrefix(name, "csi.storage.k8s.io/") || !strings.Contains(name, "-secret-") {
			all = append(all, name+"="+parameters[name])
		}
	}
	return strings.Join(all, ", ")
}
