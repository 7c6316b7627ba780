package snapshots

import (
	"encoding/json"
	"math"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// recoveryPoint is a snapshot from which a cluster can be restored, as far as that is known.
type recoveryPoint struct {
	ID             string  `json:"id"`
	Complete       *bool   `json:"complete"` // nil if it is not known whether the snapshot is complete
	Created        string  `json:"created"`
	CreatedSeconds int64   `json:"created_seconds"`
	Expires        *string `json:"expires"`
	KeptDays       *int64  `json:"kept_days"`
	DoNotDelete    *bool   `json:"do_not_delete"`
	DataSizeBytes  *int64  `json:"data_size_bytes"`
}

// RecoveryPointsText says what RecoveryPointsJSON returns.
const RecoveryPointsText = "a JSON list of objects, from the newest to the oldest. Each has `id`, `complete` (null if that is not known), `created` (ISO 8601 in UTC), `created_seconds` (since 1970), " +
	"`expires` (null if it does not expire), `kept_days` (from `created` to `expires`), `do_not_delete` (whether it is held) and `data_size_bytes`. What Ops Manager does not return is null"

// RecoveryPointsJSON returns the snapshots of a cluster that may be restored and whose time is known. It is a text, because
// Terraform needs some 60 KiB of memory for each snapshot of a list.
func RecoveryPointsJSON(all []opsmanager.ClusterSnapshot, isReplicaSet bool) string {
	points := []recoveryPoint{}
	for _, s := range newestFirst(all, base) {
		created := createdTime(s.Snapshot)
		of := s.RestorePoint()
		if isReplicaSet {
			of = of.OfReplicaSet()
		}
		if created == nil || !MayBeRestorable(of) {
			continue
		}
		point := recoveryPoint{
			ID:             opsmanager.Sanitize(tf.Text(s.ID)),
			Complete:       restorable(of),
			Created:        tf.FormatTime(*created),
			CreatedSeconds: created.Unix(),
			DoNotDelete:    holds(s),
			DataSizeBytes:  dataSize(s.Parts),
		}
		if expires := tf.ParseTime(s.Expires); expires != nil && !isHeld(s) {
			point.Expires = new(tf.FormatTime(*expires))
			point.KeptDays = new(daysBetween(*created, *expires))
		}
		points = append(points, point)
	}
	text, err := json.Marshal(points)
	if err != nil {
		panic(err) // texts, numbers and Booleans have no error
	}
	return string(text)
}

// daysBetween returns the nearest number of days between two times.
func daysBetween(from, to time.Time) int64 {
	const day = 24 * 60 * 60
	return int64(math.Round(float64(to.Unix()-from.Unix()) / day))
}

// dataSize returns the bytes of the data in the parts of a snapshot, or nil if that of a part is not known.
func dataSize(parts []opsmanager.SnapshotPart) *int64 {
	if len(parts) == 0 {
		return nil
	}
	sum := int64(0)
	for _, part := range parts {
		if part.DataSizeBytes == nil {
			return nil
		}
		sum += *part.DataSizeBytes
	}
	return &sum
}
