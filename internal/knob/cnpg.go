package knob

import (
	"slices"
	"strings"
)

// fixedByCNPG holds the settings that CloudNativePG determines itself; its webhook refuses a Cluster
// that sets one of them to another value.
//
// FixedConfigurationParameters in
// https://github.com/cloudnative-pg/cloudnative-pg/blob/v1.28.1/pkg/postgres/configuration.go
var fixedByCNPG = strings.Fields(`allow_system_table_mods archive_cleanup_command archive_command archive_mode bonjour bonjour_name
	cluster_name config_file data_directory data_sync_retry event_source external_pid_file hba_file hot_standby ident_file
	jit_provider listen_addresses log_destination log_directory log_file_mode log_filename log_rotation_age log_rotation_size
	log_truncate_on_rotation logging_collector pg_failover_slots.primary_dsn pg_failover_slots.standby_slot_names port
	primary_conninfo primary_slot_name promote_trigger_file recovery_end_command recovery_min_apply_delay recovery_target
	recovery_target_action recovery_target_inclusive recovery_target_lsn recovery_target_name recovery_target_time
	recovery_target_timeline recovery_target_xid restart_after_crash restore_command shared_preload_libraries ssl ssl_ca_file
	ssl_cert_file ssl_crl_file ssl_dh_params_file ssl_ecdh_curve ssl_key_file ssl_passphrase_command
	ssl_passphrase_command_supports_reload ssl_prefer_server_ciphers stats_temp_directory synchronized_standby_slots
	synchronous_standby_names syslog_facility syslog_ident syslog_sequence_numbers syslog_split_messages temp_tablespaces
	unix_socket_directories unix_socket_group unix_socket_permissions`)

// FixedByCNPG returns the settings of PostgreSQL that CloudNativePG determines itself, and refuses in a
// Cluster.
func FixedByCNPG() []string { return slices.Clone(fixedByCNPG) }
