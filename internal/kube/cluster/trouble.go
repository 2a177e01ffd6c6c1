package cluster

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"plinth/internal/hint"
)

// PodError says what has happened to a pod.
type PodError struct {
	Pod    string
	Reason string // as Kubernetes has it, such as Evicted; Deleted for a pod that is gone
	Text   string
	Log    string // the end of its log, if that says more
}

func (e *PodError) Error() string {
	said := fmt.Sprintf("the pod %s: %s (%s)", e.Pod, e.Text, e.Reason)
	if e.Log != "" {
		said += "; the end of its log:\n" + e.Log
	}
	return said
}

// NoImage reports whether a node cannot get the image of a container.
func (e *PodError) NoImage() bool { return slices.Contains(noImage, e.Reason) }

// noImage are the kubelet's reasons for that.
var noImage = []string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}

// trouble is something that keeps an object from becoming ready.
type trouble struct {
	where  string // "the pod x"
	pod    string // the pod, if it is one
	reason string // as Kubernetes has it
	text   string
	advice string
	sure   bool // it does not pass by itself
	times  int  // so many times as long as others it may take to pass; 0 is 1

	container string // whose log says more
	previous  bool   // the log is that of the container before its restart
}

// key is the same for a trouble that was seen before. The kubelet alternates between the reasons of an
// image that it cannot get.
func (t *trouble) key() string {
	if t.reason == "ErrImagePull" || t.reason == "ImagePullBackOff" {
		return t.where + " image"
	}
	return t.where + " " + t.reason
}

// tell makes an error of a trouble, with the end of the log if there is one.
func (c *Cluster) tell(ctx context.Context, t *trouble) error {
	err := fmt.Errorf("%s: %s (%s)", t.where, t.text, t.reason)
	if t.pod != "" {
		problem := &PodError{Pod: t.pod, Reason: t.reason, Text: t.text}
		if t.container != "" {
			problem.Log = c.log(ctx, t)
		}
		err = problem
	}
	if t.advice == "" {
		return err
	}
	return hint.Wrap(err, t.advice)
}

// An error shows the last lines of a log, and of long ones the end.
const (
	shownLines = "10"
	shownBytes = 4096
)

// log returns the end of a container's log, or "" if it cannot be read: the error says enough without.
func (c *Cluster) log(ctx context.Context, t *trouble) string {
	query := url.Values{"container": {t.container}, "tailLines": {shownLines}, "limitBytes": {"65536"}}
	if t.previous {
		query.Set("previous", "true")
	}
	text, err := c.get(ctx, "/api/v1/namespaces/"+c.Namespace+"/pods/"+t.pod+"/log", query)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(text[max(0, len(text)-shownBytes):])), "")
}

// troubles returns what is wrong, causes before their consequences.
func (v *view) troubles() []trouble {
	var all []trouble
	for i := range v.claims {
		all = append(all, v.claimTroubles(&v.claims[i])...)
	}
	for i := range v.pods {
		all = append(all, v.podTroubles(&v.pods[i])...)
	}
	all = append(all, v.createTroubles()...)
	return append(all, objectTroubles(v.object)...)
}

// about returns the events of an object, the newest first.
func (v *view) about(kind, name string) []corev1.Event {
	var all []corev1.Event
	for _, e := range slices.Backward(v.events) {
		if e.InvolvedObject.Kind == kind && e.InvolvedObject.Name == name {
			all = append(all, e)
		}
	}
	return all
}

// claimTroubles says why a claim has no volume.
func (v *view) claimTroubles(claim *corev1.PersistentVolumeClaim) []trouble {
	t := trouble{where: "the volume claim " + claim.Name, advice: "another storage class may do: kubectl get storageclass lists them"}
	switch claim.Status.Phase {
	case corev1.ClaimLost:
		t.reason, t.text, t.sure = "Lost", "its volume is gone", true
		return []trouble{t}
	case corev1.ClaimBound:
		return nil
	}
	for _, e := range v.about(kindClaim.name, claim.Name) {
		if e.Reason == "ProvisioningFailed" || e.Reason == "FailedBinding" {
			t.reason, t.text = e.Reason, oneLine(e.Message)
			t.sure = strings.Contains(e.Message, "not found") || strings.Contains(e.Message, "no storage class is set")
			return []trouble{t}
		}
		// A provisioner that runs says Provisioning at once.
		if e.Reason == "Provisioning" {
			return nil
		}
		if e.Reason == "ExternalProvisioning" {
			t.reason, t.text, t.times = e.Reason, oneLine(e.Message), 2
			t.advice = "is the provisioner of the storage class running? " + t.advice
		}
	}
	if t.times > 0 {
		return []trouble{t}
	}
	return nil
}

// ended returns an error if a pod has ended.
func ended(pod *corev1.Pod) error {
	switch pod.Status.Phase {
	case corev1.PodFailed, corev1.PodSucceeded:
	default:
		return nil
	}
	t := failed(pod)
	return &PodError{Pod: pod.Name, Reason: t.reason, Text: t.text}
}

// failed describes the end of a pod.
func failed(pod *corev1.Pod) trouble {
	t := trouble{where: "the pod " + pod.Name, pod: pod.Name, reason: pod.Status.Reason, text: oneLine(pod.Status.Message), sure: true}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue && t.text == "" {
			t.reason, t.text = condition.Reason, oneLine(condition.Message)
		}
	}
	for _, container := range containers(pod) {
		if end := container.State.Terminated; end != nil && end.ExitCode != 0 && t.text == "" {
			t = exited(pod, container.Name, end)
		}
	}
	if t.text == "" {
		t.text = "it has ended"
	}
	if t.reason == "" {
		t.reason = string(pod.Status.Phase)
	}
	switch {
	case t.reason == "Evicted":
		t.advice = "the node ran out of a resource; set limits so that the pod has what it needs, or free the node"
	case strings.HasPrefix(t.reason, "OutOf"): // the kubelet does not admit it: OutOfcpu
		t.advice = needsRoom
	case t.reason == "TopologyAffinityError":
		t.advice = "the node's topology manager cannot place the pod's CPUs and memory on as few NUMA nodes as its policy requires: lower limits"
	}
	return t
}

// needsRoom is the advice about a pod that fits on no node.
const needsRoom = "lower limits or driver.pods, leave out environments (all servers run at the same time), or free a node; driver: {node: apart} needs a second node"

// exited describes the end of a container.
func exited(pod *corev1.Pod, container string, end *corev1.ContainerStateTerminated) trouble {
	t := trouble{where: "the pod " + pod.Name, pod: pod.Name, reason: end.Reason, sure: true, container: container}
	t.text = fmt.Sprintf("the container %s ended with exit code %d", container, end.ExitCode)
	if end.Message != "" {
		t.text += ": " + oneLine(end.Message)
	}
	if end.Reason == "OOMKilled" {
		t.text = fmt.Sprintf("the container %s needed more memory than its limit, and the kernel killed it", container)
		t.advice, t.container = "raise limits.memory, or use fewer clients or smaller buffers", ""
	}
	if t.reason == "" {
		t.reason = "Error"
	}
	return t
}

// podTroubles says why a pod does not run.
func (v *view) podTroubles(pod *corev1.Pod) []trouble {
	if v.replaced(pod) {
		return nil
	}
	if pod.Status.Phase == corev1.PodFailed {
		return []trouble{failed(pod)}
	}
	var all []trouble
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			all = append(all, trouble{where: "the pod " + pod.Name, pod: pod.Name, reason: condition.Reason, text: oneLine(condition.Message), sure: true})
		}
		if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable && !v.scalesUp(pod) && !strings.Contains(condition.Message, unbound) {
			all = append(all, trouble{
				where: "the pod " + pod.Name, pod: pod.Name, reason: condition.Reason, text: "no node takes it: " + oneLine(condition.Message),
				advice: needsRoom, times: v.timesToScaleUp(pod),
			})
		}
	}
	if kind := v.object.GetKind(); pod.DeletionTimestamp != nil && (kind == "Job" || kind == kindPod.name) {
		all = append(all, trouble{where: "the pod " + pod.Name, pod: pod.Name, reason: "Deleted", text: "it is being deleted", sure: true})
	}
	for _, container := range containers(pod) {
		if t, is := v.containerTrouble(pod, container); is {
			all = append(all, t)
		}
	}
	return all
}

// replaced reports whether a pod has ended, or is about to, and its controller has all the pods that it
// should have. The Jobs of a CloudNativePG Cluster have one each.
func (v *view) replaced(pod *corev1.Pod) bool {
	controller := metav1.GetControllerOf(pod)
	if controller == nil || works(pod) {
		return false
	}
	wanted := v.wanted()
	if controller.UID != v.object.GetUID() {
		wanted = 1
	}
	return v.working(controller.UID) >= wanted
}

// works reports whether a pod has not ended, and is not about to.
func works(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodFailed && pod.DeletionTimestamp == nil
}

// working returns how many pods of a controller have not ended.
func (v *view) working(controller types.UID) (n int64) {
	for i := range v.pods {
		if c := metav1.GetControllerOf(&v.pods[i]); c != nil && c.UID == controller && works(&v.pods[i]) {
			n++
		}
	}
	return n
}

// unbound is the scheduler's message about a pod whose volumes are being created, which may take minutes. If
// something prevents that, the claim has a trouble of its own.
const unbound = "unbound immediate PersistentVolumeClaims"

// scalesUp reports whether an autoscaler (the cluster autoscaler or Karpenter) adds a node for a pod.
func (v *view) scalesUp(pod *corev1.Pod) bool { return v.says(pod, "TriggeredScaleUp", "Nominated") }

// timesToScaleUp returns how much longer than other troubles a pod without a node may last. An autoscaler looks
// for such pods every 10 s, and in large clusters once a minute. It says if it adds no node.
func (v *view) timesToScaleUp(pod *corev1.Pod) int {
	if v.says(pod, "NotTriggerScaleUp") {
		return 1
	}
	return 6
}

// says reports whether a pod has an event with one of some reasons.
func (v *view) says(pod *corev1.Pod, reasons ...string) bool {
	return slices.ContainsFunc(v.about("Pod", pod.Name), func(e corev1.Event) bool { return slices.Contains(reasons, e.Reason) })
}

// containers returns the states of a pod's containers, in the order in which they start.
func containers(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

// terminations returns how a container has ended, and how it ended before it was restarted.
func terminations(container corev1.ContainerStatus) (all []*corev1.ContainerStateTerminated) {
	for _, end := range []*corev1.ContainerStateTerminated{container.State.Terminated, container.LastTerminationState.Terminated} {
		if end != nil {
			all = append(all, end)
		}
	}
	return all
}

// endOf identifies the end of a container.
func endOf(pod *corev1.Pod, container string, end *corev1.ContainerStateTerminated) string {
	return fmt.Sprint(pod.UID, " ", container, " ", end.ContainerID, " ", end.FinishedAt.UTC())
}

// containerTrouble says why a container does not run.
func (v *view) containerTrouble(pod *corev1.Pod, container corev1.ContainerStatus) (trouble, bool) {
	for _, end := range terminations(container) {
		if end.Reason == "OOMKilled" && !v.before[endOf(pod, container.Name, end)] {
			return exited(pod, container.Name, end), true
		}
	}
	waits := container.State.Waiting
	if waits == nil {
		return trouble{}, false
	}
	t := trouble{where: "the pod " + pod.Name, pod: pod.Name, reason: waits.Reason, text: oneLine(waits.Message)}
	switch {
	case slices.Contains(noImage, waits.Reason):
		t.text = fmt.Sprintf("cannot get the image %s: %s", container.Image, t.text)
		t.advice = "check the image's name and its registry"
		t.sure = waits.Reason == "InvalidImageName" || waits.Reason == "ErrImageNeverPull" || hopeless(waits.Message)
	case waits.Reason == "CrashLoopBackOff":
		t.sure, t.container, t.previous = true, container.Name, true
		t.text = fmt.Sprintf("the container %s has ended %d times", container.Name, container.RestartCount)
		if end := container.LastTerminationState.Terminated; end != nil {
			t.text = fmt.Sprintf("the container %s ends again and again, with exit code %d", container.Name, end.ExitCode)
		}
	case slices.Contains([]string{"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}, waits.Reason):
	default:
		return trouble{}, false
	}
	return t, true
}

// hopeless reports whether a registry's answer stays the same if it is asked again.
func hopeless(message string) bool {
	return slices.ContainsFunc([]string{"not found", "denied", "unauthorized", "forbidden", "manifest unknown", "no match for platform"},
		func(part string) bool { return strings.Contains(strings.ToLower(message), part) })
}

// createTroubles says why a controller could not create pods or claims: a quota, or admission. An event
// stays after the controller has succeeded.
func (v *view) createTroubles() []trouble {
	if int64(len(v.pods)) >= v.wanted() {
		return nil
	}
	for _, e := range slices.Backward(v.events) {
		if e.Reason != "FailedCreate" {
			continue
		}
		t := trouble{where: e.InvolvedObject.Kind + " " + e.InvolvedObject.Name, reason: e.Reason, text: oneLine(e.Message)}
		t.sure, t.advice = strings.Contains(e.Message, "is forbidden"), refusal(e.Message)
		return []trouble{t}
	}
	return nil
}

// refusal returns the advice about a pod or claim that a controller may not create.
func refusal(message string) string {
	switch {
	case strings.Contains(message, "exceeded quota"):
		return "change limits, storage or driver.pods, or the quota: kubectl describe quota shows it"
	case strings.Contains(message, "must specify"):
		return unspecified
	case strings.Contains(message, "violates PodSecurity"):
		return podSecurity + ": the servers of operator: none need baseline, and those of CloudNativePG meet restricted, too"
	}
	return ""
}

// unspecified is the advice about a quota for something that a pod does not ask for.
const unspecified = "the namespace has a quota for what this pod does not ask for (kubectl describe quota): " +
	"for a server, set limits (cpus, memory); for plinth's own pods, which have no CPU limit, " +
	"create a LimitRange with a default that does not slow them down, or choose another namespace"

// wanted returns how many pods an object should have.
func (v *view) wanted() int64 {
	for _, field := range []string{"parallelism", "replicas", "instances"} {
		if n := number(v.object.Object, 0, "spec", field); n > 0 {
			return n
		}
	}
	return 1
}

// refusals are phases in which CloudNativePG does not continue by itself.
var refusals = []string{"Unable to create required cluster objects", "Cluster has incomplete or invalid image catalog", "unknown plugin"}

// unwatched is the advice about a Cluster of which CloudNativePG takes no notice.
const unwatched = "does CloudNativePG's operator run " +
	"(kubectl get deployment --all-namespaces --selector app.kubernetes.io/name=cloudnative-pg), " +
	"and does it watch this namespace (WATCH_NAMESPACE in its ConfigMap cnpg-controller-manager-config)?"

// objectTroubles returns what the status of an object reports.
func objectTroubles(o *unstructured.Unstructured) []trouble {
	t := trouble{where: refOf(o).String()}
	switch {
	case o.GetDeletionTimestamp() != nil:
		t.reason, t.text, t.sure = "Deleted", "it is being deleted", true
		return []trouble{t}
	case o.GetKind() == "Job":
		for _, end := range []string{"Failed", "Complete"} {
			if status, message := conditionOf(o.Object, end); status == "True" {
				t.reason, t.text, t.sure = end, "its pods have ended: "+oneLine(message), true
				return []trouble{t}
			}
		}
	case o.GetKind() == "Cluster":
		phase := text(o.Object, "status", "phase")
		if phase == "" { // an operator that watches the namespace sets one within a second
			t.reason, t.text, t.advice, t.times = "no status.phase", "the operator has not taken notice of it", unwatched, 4
			return []trouble{t}
		}
		if slices.ContainsFunc(refusals, func(r string) bool { return strings.Contains(phase, r) }) {
			t.reason, t.text = phase, oneLine(text(o.Object, "status", "phaseReason"))
			return []trouble{t}
		}
	}
	return nil
}

// oneLine returns a message without line breaks.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }
