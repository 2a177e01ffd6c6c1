package validity

var serverReasons = []rule{{
	name:  "server-restarted",
	hint:  "see the server's log for why",
	needs: []string{"server.restarted"},
	check: func(c Case) string {
		if !c.Run.Evidence.Server.Restarted {
			return ""
		}
		return "the server was restarted during the run: its caches were empty, its connections lost"
	},
}}
