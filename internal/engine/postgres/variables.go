package postgres

import "plinth/internal/experiment"

// libpqEnvironment are the variables in which libpq finds what a connection
// string says; keepalives and a few others have none.
// https://www.postgresql.org/docs/current/libpq-envars.html
var libpqEnvironment = map[string]string{
	"host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE",
	"passfile": "PGPASSFILE", "require_auth": "PGREQUIREAUTH", "channel_binding": "PGCHANNELBINDING",
	"service": "PGSERVICE", "servicefile": "PGSERVICEFILE", "options": "PGOPTIONS", "application_name": "PGAPPNAME",
	"sslmode": "PGSSLMODE", "sslnegotiation": "PGSSLNEGOTIATION", "requiressl": "PGREQUIRESSL",
	"sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "sslcertmode": "PGSSLCERTMODE", "sslrootcert": "PGSSLROOTCERT",
	"sslcrl": "PGSSLCRL", "sslcrldir": "PGSSLCRLDIR", "sslsni": "PGSSLSNI", "requirepeer": "PGREQUIREPEER",
	"sslcompression":           "PGSSLCOMPRESSION",
	"ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION", "ssl_max_protocol_version": "PGSSLMAXPROTOCOLVERSION",
	"min_protocol_version": "PGMINPROTOCOLVERSION", "max_protocol_version": "PGMAXPROTOCOLVERSION",
	"gssencmode": "PGGSSENCMODE", "krbsrvname": "PGKRBSRVNAME", "gsslib": "PGGSSLIB", "gssdelegation": "PGGSSDELEGATION",
	"connect_timeout": "PGCONNECT_TIMEOUT", "client_encoding": "PGCLIENTENCODING",
	"target_session_attrs": "PGTARGETSESSIONATTRS", "load_balance_hosts": "PGLOADBALANCEHOSTS",
}

// libpqVariables say where a server is to programs that are given no connection
// string.
func libpqVariables(info experiment.Parameters) []string {
	var variables []string
	for _, one := range info {
		if name := libpqEnvironment[one.Name]; name != "" {
			variables = append(variables, name+"="+one.Value)
		}
	}
	return variables
}
