package assumptions

var aboutAlerts = []Assumption{
	{
		Name:      "masks-alert-secrets",
		About:     "the secrets of a notification",
		Expected:  "masked",
		Otherwise: "unredacted",
		How:       ByReading,
		Area:      Projects,
		Needs:     "an alert configuration with a webhook or a similar notification",
	},
	{
		Name:      "returns-empty-roles",
		About:     "the roles of a notification of all members of a project",
		Expected:  "left out",
		Otherwise: "an empty list",
		How:       ByReading,
		Area:      Projects,
		Needs:     "an alert configuration with such a notification",
	},
	{
		Name:      "reverses-notifications",
		About:     "the order of notifications",
		Expected:  "that of the request",
		Otherwise: "the reverse",
		How:       TakesMore,
		Needs:     "a change of an alert configuration",
	},
}
