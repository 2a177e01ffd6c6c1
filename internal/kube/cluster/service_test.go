package cluster

import (
	"fmt"
	"testing"
)

// TestPorts checks by which ports the server behind a Service is reached.
func TestPorts(t *testing.T) {
	const pod = `---
{apiVersion: v1, kind: Pod, metadata: {name: db-0, labels: {app: db, more: "1"}}, spec: {containers: [{name: c, ports: [{name: sql, containerPort: 5433}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-0, labels: {app: web}}, spec: {containers: [{name: c, ports: [{name: sql, containerPort: 80}]}]}}
`
	for _, tc := range []struct{ spec, want, failure string }{
		{`{ports: [{port: 5432}]}`, "[{ 5432}]", ""},
		{`{ports: [{name: sql, port: 6000, targetPort: sql}, {name: metrics, port: 9187}]}`, "[{sql 6000} {metrics 9187}]", ""},
		{`{clusterIP: None, selector: {app: db}, ports: [{name: a, port: 6000, targetPort: 5434}]}`, "[{a 5434}]", ""},
		{`{clusterIP: None, selector: {app: db}, ports: [{name: a, port: 6000, targetPort: sql}]}`, "[{a 5433}]", ""},
		{`{clusterIP: None, selector: {app: db}, ports: [{name: a, port: 6000}, {port: 53, protocol: UDP}]}`, "[{a 6000}]", ""},
		{`{clusterIP: None, selector: {app: none}, ports: [{name: a, port: 6000, targetPort: sql}]}`, "", "cannot find the port sql of Service db: none of its pods has a port of that name"},
		{`{type: ExternalName, externalName: db.example.org}`, "[]", ""},
	} {
		c, _ := fakeCluster(t, "{apiVersion: v1, kind: Service, metadata: {name: db}, spec: "+tc.spec+"}\n"+pod)
		got, err := c.Ports(t.Context(), "db")
		mustSay(t, err, tc.failure, "")
		if tc.failure == "" && fmt.Sprint(got) != tc.want {
			t.Errorf("%s: %v, want %s", tc.spec, got, tc.want)
		}
	}
}
