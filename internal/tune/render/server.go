package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"plinth/internal/engine/redis/conf"
	"plinth/internal/knob"
	"plinth/internal/tune"
)

// isOf returns a function that reports whether a change is a setting of an engine. A name that
// neither engine is known to have, such as an extension's, counts as PostgreSQL's.
func isOf(engine string) func(tune.Change) bool {
	return func(c tune.Change) bool { return c.Layer == knob.Server && engineOf(c.Key.Knob) == engine }
}

func engineOf(name string) string {
	_, postgres := knob.Parameter("postgres", name)
	_, redis := knob.Parameter("redis", name)
	if redis && !postgres {
		return "redis"
	}
	return "postgres"
}

// postgresFiles returns a file for include_dir, or for the end of postgresql.conf.
func postgresFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# Then run SELECT pg_reload_conf(); settings that need a restart are marked.\n" +
		"# Values set by ALTER SYSTEM (postgresql.auto.conf) override these.\n")
	for _, c := range changes {
		b.WriteString(why(c))
		if c.Needs == knob.Restart {
			b.WriteString(comment("Needs a restart of the server."))
		}
		// https://www.postgresql.org/docs/current/config-setting.html
		fmt.Fprintf(&b, "%s = '%s'\n", c.Key.Knob, strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(c.Then))
	}
	return []File{{"conf.d/90-plinth.conf", b.String()}}
}

// isOfCluster reports whether a change is a setting that a Cluster of CloudNativePG may have.
func isOfCluster(c tune.Change) bool {
	return isOf("postgres")(c) && !slices.Contains(knob.FixedByCNPG(), c.Key.Knob)
}

// clusterFiles returns the part of a Cluster of CloudNativePG that has the settings. Its servers have ALTER SYSTEM
// turned off by default, and the operator writes their configuration file.
// https://cloudnative-pg.io/documentation/current/postgresql_conf/
func clusterFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# Merge it into a Cluster of CloudNativePG, for example with kubectl edit cluster NAME. The operator\n" +
		"# restarts the servers if a setting needs that.\n" +
		"spec:\n  postgresql:\n    parameters:\n")
	for _, c := range changes {
		b.WriteString(why(c))
		if c.Needs == knob.Restart {
			b.WriteString(comment("Needs a restart of the server."))
		}
		value, _ := json.Marshal(c.Then) // a string of JSON is one of YAML
		fmt.Fprintf(&b, "      %s: %s\n", c.Key.Knob, value)
	}
	return []File{{"cluster.yaml", b.String()}}
}

// accumulating are the settings whose lines add up. Redis 6 takes one group of words a line.
var accumulating = []string{"save", "client-output-buffer-limit"}

// redisFiles returns a file to include at the end of redis.conf, where the last line of a name
// counts.
func redisFiles(made string, changes []tune.Change) []File {
	var b strings.Builder
	b.WriteString(made + "# Add this line at the end of redis.conf: include /etc/redis/plinth.conf\n")
	for _, c := range changes {
		b.WriteString(why(c))
		if c.Needs == knob.Restart {
			b.WriteString(comment("Needs a restart of the server."))
		}
		if lines, err := conf.Directives(map[string]string{c.Key.Knob: c.Then}); err == nil && slices.Contains(accumulating, c.Key.Knob) {
			if c.Key.Knob == "save" && c.Then != "" {
				b.WriteString("save \"\"\n") // removes the save points of the lines before
			}
			for _, line := range lines {
				b.WriteString(line.String() + "\n")
			}
			continue
		}
		value := c.Then
		if value == "" || strings.ContainsAny(value, `"'\#`) {
			value = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
		}
		fmt.Fprintf(&b, "%s %s\n", c.Key.Knob, value)
	}
	return []File{{"/etc/redis/plinth.conf", b.String()}}
}
