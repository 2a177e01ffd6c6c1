package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// The labels of every object that plinth creates. Nothing without LabelRecord is changed or deleted: the rights
// that an administrator installs (Access) do not have it.
const (
	LabelRecord      = "plinth/record"
	LabelEnvironment = "plinth/environment"
	LabelRole        = "plinth/role"

	labelManager = "app.kubernetes.io/managed-by"
)

// The roles of objects.
const (
	roleServer    = "server"
	roleReplica   = "replica"
	roleLoad      = "load"
	roleReader    = "reader"
	roleFault     = "fault"
	roleKeeper    = "keeper"
	roleProbe     = "probe"
	roleAccess    = "access"
	roleNamespace = "namespace"
)

// RoleKeeper is the role of the Job that owns the other objects of a record.
const RoleKeeper = roleKeeper

// longestValue is the maximum length of a label's value, and of a DNS label.
const longestValue = 63

// longestEnvironment is the maximum length of an environment in a name, so that a whole name has at
// most 50 characters. That is the maximum of CloudNativePG, which appends to it; a StatefulSet has 52.
const longestEnvironment = 26

// labels returns the labels of an object.
func (p Plan) labels(environment, role string) Object {
	labels := p.selector(environment, role)
	labels[labelManager] = "plinth"
	return labels
}

// selector returns the labels that distinguish the pods of a role.
func (p Plan) selector(environment, role string) Object {
	labels := Object{LabelRecord: LabelValue(p.Record), LabelRole: role}
	if environment != "" {
		labels[LabelEnvironment] = LabelValue(environment)
	}
	return labels
}

// name returns the name of an environment's objects of a role. It begins with a letter and has no dots:
// services and CloudNativePG require that.
func (p Plan) name(environment, role string) string {
	return p.single(role) + "-" + fit(environment, longestEnvironment)
}

// single returns the name of an object of which the experiment has one. A digest of the record's name
// keeps experiments in one namespace apart.
func (p Plan) single(role string) string { return "plinth-" + digest(p.Record) + "-" + role }

var (
	notInDNS    = regexp.MustCompile(`[^a-z0-9-]`)
	notInValues = regexp.MustCompile(`[^A-Za-z0-9._-]`)
	validValue  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
)

// fit returns a part of a DNS label for a text. If the text cannot stay as it is, a digest of it is
// appended, so that different texts have different labels.
func fit(text string, longest int) string {
	label := strings.Trim(notInDNS.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if label == text && len(label) <= longest {
		return label
	}
	return shortened(label, digest(text), longest)
}

// LabelValue returns a text as the value of a label. It appends a digest to a text that it has to change.
func LabelValue(text string) string {
	if validValue.MatchString(text) {
		return text
	}
	return shortened(strings.Trim(notInValues.ReplaceAllString(text, "-"), "-._"), digest(text), longestValue)
}

// shortened joins as much of a text as fits and a digest.
func shortened(text, digest string, longest int) string {
	text = strings.TrimRight(text[:min(len(text), longest-len(digest)-1)], "-._")
	if text == "" {
		return digest
	}
	return text + "-" + digest
}

// digest returns the first 32 bits of the SHA-256 of a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
