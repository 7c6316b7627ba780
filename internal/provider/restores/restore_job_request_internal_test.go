package restores

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

func TestJobThatAResponseHasTwiceIsOne(t *testing.T) {
	t.Parallel()
	var jobs []opsmanager.RestoreJob
	for _, id := range []string{"1", "2", "1", "", ""} {
		job := opsmanager.RestoreJob{BatchID: new("batch")}
		if id != "" {
			job.ID = new(id)
		}
		jobs = append(jobs, job)
	}
	var ids []string
	for _, job := range distinct(jobs) {
		ids = append(ids, tf.Text(job.ID))
	}
	if !slices.Equal(ids, []string{"1", "2", "", ""}) {
		t.Errorf("got %q", ids)
	}
}
