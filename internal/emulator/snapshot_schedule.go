package emulator

import (
	"cmp"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scheduleFields are the fields of a snapshot schedule.
var scheduleFields = func() members {
	fields := members{
		"clusterId":                {isValid: isText},
		"fullIncrementalDayOfWeek": {values: weekdays},
		"groupId":                  {isValid: isText},
		"links":                    {isValid: isList, ignored: true}, // as documented
		"referenceTimeZoneOffset":  {isValid: isText},
	}
	for name := range scheduleNumbers {
		fields[name] = member{isValid: isWhole}
	}
	return fields
}()

// scheduleNumbers are the integer fields of a snapshot schedule, with the values that the
// newest documentation allows and the documented error code for others.
var scheduleNumbers = map[string]struct {
	code   string
	want   string
	allows func(n int) bool
}{
	"snapshotIntervalHours":          {"INVALID_SNAPSHOT_INTERVAL", "6, 8, 12 or 24", oneOf(6, 8, 12, 24)},
	"snapshotRetentionDays":          {"INVALID_SNAPSHOT_RETENTION_PERIOD", "between 2 and 5, or up to 30 with an interval of 24 hours", between(2, 30)},
	"dailySnapshotRetentionDays":     {"INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD", "0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180 or 360", oneOf(0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360)},
	"weeklySnapshotRetentionWeeks":   {"INVALID_WEEKLY_SNAPSHOT_RETENTION_PERIOD", "between 0 and 52", between(0, 52)},
	"monthlySnapshotRetentionMonths": {"INVALID_MONTHLY_SNAPSHOT_RETENTION_PERIOD", "between 0 and 36", between(0, 36)},
	"clusterCheckpointIntervalMin":   {"INVALID_CLUSTER_CHECKPOINT_INTERVAL", "15, 30 or 60", oneOf(15, 30, 60)},
	"referenceHourOfDay":             {"INVALID_REFERENCE_HOUR_OF_DAY", "between 0 and 23", between(0, 23)},
	"referenceMinuteOfHour":          {"INVALID_REFERENCE_MINUTE_OF_HOUR", "between 0 and 59", between(0, 59)},
	// Its range is not documented, nor is the meaning of CANNOT_SET_POINT_IN_TIME_WINDOW.
	"pointInTimeWindowHours": {"ATTRIBUTE_NEGATIVE", "0 or more", func(n int) bool { return n >= 0 }},
}

var weekdays = []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}

func oneOf(allowed ...int) func(int) bool {
	return func(n int) bool { return slices.Contains(allowed, n) }
}

func between(low, high int) func(int) bool {
	return func(n int) bool { return low <= n && n <= high }
}

// defaultSchedule returns the documented schedule of a new backup configuration. The
// window and the time of day are not documented.
func defaultSchedule() map[string]any {
	return map[string]any{
		"snapshotIntervalHours":          24.0,
		"snapshotRetentionDays":          2.0,
		"dailySnapshotRetentionDays":     0.0,
		"weeklySnapshotRetentionWeeks":   2.0,
		"monthlySnapshotRetentionMonths": 1.0,
		"pointInTimeWindowHours":         24.0,
		"referenceHourOfDay":             0.0,
		"referenceMinuteOfHour":          0.0,
		"referenceTimeZoneOffset":        "+0000",
		"fullIncrementalDayOfWeek":       "SUNDAY",
	}
}

var snapshotScheduleType = resourceType{
	routes: func(e *Emulator) []route {
		const path = "/groups/{project}/backupConfigs/{cluster}/snapshotSchedule"
		return []route{
			{http.MethodGet, path, 0, singleQuery, e.getSnapshotSchedule},
			{http.MethodPatch, path, inProfile, singleQuery, e.patchSnapshotSchedule},
		}
	},
	completeCluster: func(_ *Emulator, c *Cluster) {
		if c.BackupConfig != nil && c.SnapshotSchedule == nil && c.ShardOf == "" {
			c.SnapshotSchedule = defaultSchedule()
		}
	},
	cluster: func(d *documents, c *Cluster) { d.add(scheduleFields, c.SnapshotSchedule, "the snapshot schedule") },
}

func (e *Emulator) getSnapshotSchedule(c *call) any {
	e.requireSchedule(c)
	return e.scheduleDocument(c)
}

// patchSnapshotSchedule sets all fields that were sent, or none if one is invalid, and
// returns the whole schedule.
func (e *Emulator) patchSnapshotSchedule(c *call) any {
	e.requireSchedule(c)
	sent := e.scheduleChange(c)
	if len(sent) == 0 {
		return e.scheduleDocument(c)
	}
	before := c.cluster.SnapshotSchedule
	after := merge(before, sent)
	couple(after, sent)
	if offset, ok := sent["referenceTimeZoneOffset"].(string); ok {
		toUTC(after, offset)
	}
	if e.options.Adjust != nil {
		e.options.Adjust(copyDocument(before), after, slices.Sorted(maps.Keys(sent)))
	}
	c.cluster.SnapshotSchedule = copyDocument(after)
	return e.scheduleDocument(c)
}

// requireSchedule refuses a call if its cluster has no snapshot schedule.
func (e *Emulator) requireSchedule(c *call) {
	e.requireBackupConfig(c)
	if c.cluster.ShardOf != "" {
		// The code is documented for changes only. For reads, the documentation only says that the
		// ID of a shard is not valid.
		panic(shardRefused(c.cluster))
	}
	if c.cluster.ThirdPartyBackup == "ACTIVE" { // observed for GET on 8.0.23
		panic(refuse(http.StatusInternalServerError, "UNEXPECTED_ERROR", "Unexpected error."))
	}
	unknowns := e.options.Unknowns
	status, _ := c.cluster.BackupConfig["statusName"].(string)
	off := status == "INACTIVE" || unknowns.NoScheduleInTransition && (status == "PROVISIONING" || status == "TERMINATING")
	off = off && (c.Method != http.MethodGet || !isAsRead(c.cluster.SnapshotSchedule))
	// It is known that a PATCH fails, but not with which code.
	detail := "The snapshot schedule of cluster " + c.cluster.ID + " is not available while its backup is " + status + "."
	switch {
	case off && unknowns.InactiveSchedule == http.StatusNotFound:
		panic(refuse(http.StatusNotFound, "BACKUP_CONFIG_NOT_FOUND", detail, c.cluster.ID))
	case !off && c.cluster.SnapshotSchedule == nil && e.state.isCopy():
		panic(refuse(http.StatusNotFound, "BACKUP_CONFIG_NOT_FOUND", detail, c.cluster.ID))
	case off && (unknowns.InactiveSchedule == http.StatusConflict || c.Method != http.MethodGet):
		panic(refuse(http.StatusConflict, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE", detail, c.cluster.ID))
	}
}

// scheduleDocument returns a schedule as in a response. The checkpoint interval is 0 if it
// is not set, also for replica sets.
func (e *Emulator) scheduleDocument(c *call) map[string]any {
	group := "/groups/" + c.project.ID
	config := group + "/backupConfigs/" + c.cluster.ID
	links := []map[string]any{
		c.link(config + "/snapshotSchedule"),
		c.linkTo("cluster", group+"/clusters/"+c.cluster.ID),
		c.linkTo("backupConfig", config),
	}
	if isAsRead(c.cluster.SnapshotSchedule) {
		return asRead(c.cluster.SnapshotSchedule, links...)
	}
	document := overlay(map[string]any{
		"groupId":   c.project.ID,
		"clusterId": c.cluster.ID,
		"links":     links,
	}, c.cluster.SnapshotSchedule)
	if _, has := document["clusterCheckpointIntervalMin"]; !has && !e.state.isCopy() {
		document["clusterCheckpointIntervalMin"] = 0
	}
	for _, name := range e.options.OmitFields {
		delete(document, name)
	}
	return document
}

// OmitFields leaves these fields out of schedules from now on, instead of those of the options.
func (e *Emulator) OmitFields(names ...string) {
	defer e.lock()()
	e.options.OmitFields = names
}

// scheduleChange validates each field of a body on its own and returns the fields to store.
func (e *Emulator) scheduleChange(c *call) map[string]any {
	sent := e.checkedBody(c, nil, scheduleFields)
	c.takeIDs(sent)
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		text, _ := sent[name].(string)
		number, isNumber := scheduleNumbers[name]
		n, _ := wholeNumber(sent[name])
		_, isOffset := offsetMinutes(text)
		switch {
		// Clients send back what they read.
		case name == "clusterCheckpointIntervalMin" && !c.cluster.sharded() && n == 0 && e.options.Lenient:
			delete(sent, name)
		case name == "clusterCheckpointIntervalMin" && !c.cluster.sharded():
			panic(refuse(http.StatusBadRequest, "CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET",
				"The attribute clusterCheckpointIntervalMin can only be set for sharded clusters, not for replica sets.", name))
		case isNumber && !number.allows(n):
			panic(outOfRange(name))
		case name == "referenceTimeZoneOffset" && !isOffset:
			panic(refuse(http.StatusBadRequest, "INVALID_REFERENCE_TIMEZONE_OFFSET", "The attribute "+name+" must be an ISO 8601 time zone offset such as +0000.", name, text))
		}
	}
	return sent
}

func outOfRange(name string) *refusal {
	return refuse(http.StatusBadRequest, scheduleNumbers[name].code, "The attribute "+name+" must be "+scheduleNumbers[name].want+".", name)
}

// couple applies the documented rule between fields: with an interval of less than 24
// hours, the base retention is at most 5 days. A longer retention is rejected if it was
// sent, and reduced if it was stored before.
func couple(after, sent map[string]any) {
	const retention = "snapshotRetentionDays"
	interval, known := after["snapshotIntervalHours"].(float64)
	days, _ := after[retention].(float64)
	if !known || interval >= 24 || days <= 5 {
		return
	}
	if _, ok := sent[retention]; ok {
		panic(outOfRange(retention))
	}
	after[retention] = 5.0
}

var offsetPattern = regexp.MustCompile(`^[+-][0-9]{2}(:?[0-9]{2})?$`)

// offsetMinutes parses +02, +0200, +02:00 or Z and returns the minutes east of UTC.
func offsetMinutes(offset string) (minutes int, ok bool) {
	if offset == "Z" {
		return 0, true
	}
	if !offsetPattern.MatchString(offset) {
		return 0, false
	}
	digits := strings.ReplaceAll(offset[1:], ":", "") + "00"
	h, _ := strconv.Atoi(digits[:2])
	m, _ := strconv.Atoi(digits[2:4])
	if h > 18 || m > 59 {
		return 0, false
	}
	if offset[0] == '-' {
		return -(60*h + m), true
	}
	return 60*h + m, true
}

// toUTC converts the time of day of a schedule from offset to UTC, because Ops Manager
// stores only UTC. A PATCH merges before it converts, so an offset without an hour or a
// minute moves the stored ones. Only the shift of the hour is documented. The minute is
// converted for offsets that are not whole hours, and the weekday is kept.
func toUTC(schedule map[string]any, offset string) {
	schedule["referenceTimeZoneOffset"] = "+0000"
	hour, known := schedule["referenceHourOfDay"].(float64)
	if !known {
		return
	}
	shift, _ := offsetMinutes(offset)
	minute, minuteKnown := schedule["referenceMinuteOfHour"].(float64)
	const day = 24 * 60
	utc := ((int(hour)*60+int(minute)-shift)%day + day) % day
	schedule["referenceHourOfDay"] = float64(utc / 60)
	if minuteKnown || utc%60 != 0 {
		schedule["referenceMinuteOfHour"] = float64(utc % 60)
	}
}

// Schedule returns the stored schedule of a cluster, or nil if there is none. Its numbers are float64, as in
// all documents.
func (e *Emulator) Schedule(projectID, clusterID string) map[string]any {
	defer e.lock()()
	return copyDocument(cmp.Or(e.state.cluster(projectID, clusterID), &Cluster{}).SnapshotSchedule)
}

// SetSchedule sets the schedule of a cluster, without coupling.
func (e *Emulator) SetSchedule(projectID, clusterID string, fields map[string]any) {
	defer e.lock()()
	cluster := e.mustCluster(projectID, clusterID)
	cluster.SnapshotSchedule = merge(cluster.SnapshotSchedule, fields)
}
