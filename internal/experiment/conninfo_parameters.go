package experiment

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// parameters are the connection parameters of libpq 13 to 18.
//
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
var parameters = strings.Fields(`
	host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout
	client_encoding options application_name fallback_application_name
	keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout replication
	gssencmode sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword
	sslcertmode sslrootcert sslcrl sslcrldir sslsni requirepeer
	ssl_min_protocol_version ssl_max_protocol_version min_protocol_version max_protocol_version
	krbsrvname gsslib gssdelegation scram_client_key scram_server_key service servicefile
	target_session_attrs load_balance_hosts oauth_issuer oauth_client_id oauth_client_secret oauth_scope
	authtype tty`)

// unknown says that there is a parameter that libpq does not know. Passed on, a
// misspelt password would be shown as if it were none. Only the name is quoted,
// never the value.
func (p Parameters) unknown() error {
	for _, one := range p {
		if !slices.Contains(parameters, one.Name) {
			return fmt.Errorf("has an unknown parameter %s; %s", strictyaml.Quote(one.Name),
				hint.DidYouMean(one.Name, parameters, "it can be one that libpq knows, such as host, port, user, dbname"))
		}
	}
	return nil
}
