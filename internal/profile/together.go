package profile

// Together is the settings of several profiles, later ones in place of earlier ones, as
// Work takes them: what an experiment asks for before a machine's facts are known.
func Together(profiles []*Profile) ([]Setting, error) {
	all, _, err := together(profiles)
	if err != nil {
		return nil, err
	}
	settings := make([]Setting, len(all))
	for i, s := range all {
		settings[i] = s.Setting
	}
	return settings, nil
}
