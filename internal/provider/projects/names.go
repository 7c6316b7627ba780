package projects

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ClusterLabel returns the name of a cluster with its ID, as diagnostics have it.
func ClusterLabel(name, id string) string {
	if name == id {
		return id
	}
	return fmt.Sprintf("%s (%s)", name, id)
}

// mostForNames is how long a run may wait for names that it can't read.
const mostForNames = 3 * time.Second

// waitedForNames is how long this provider process has waited for such names, in nanoseconds.
var waitedForNames connection.Shared[atomic.Int64]

// ReadName returns the name of a project, or of a cluster of it unless its ID is "", for a message, or "" if it can't
// read it in the time that is left for that.
func ReadName(ctx context.Context, data *connection.Data, projectID, clusterID string) string {
	id := cmp.Or(clusterID, projectID)
	unlock, err := data.Lock(ctx, "name of "+id)
	if err != nil {
		return ""
	}
	defer unlock()
	waited := waitedForNames.Of(data)
	left := mostForNames - time.Duration(waited.Load())
	if data.Client.NameOf(id) != "" || left <= 0 {
		return data.Client.NameOf(id)
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	began := time.Now()
	if clusterID == "" {
		_, err = data.Client.Project(ctx, projectID)
	} else {
		_, err = data.Client.Cluster(ctx, projectID, clusterID)
	}
	if err != nil {
		waited.Add(int64(time.Since(began)))
	}
	return data.Client.NameOf(id)
}

// Nearest returns some names, those that are most like a misspelled one first, and how many more there are.
func Nearest(to string, names []string, most int) string {
	distances := map[string]int{}
	for _, name := range names {
		distances[name] = distance(strings.ToLower(to), strings.ToLower(name))
	}
	sorted := slices.SortedFunc(maps.Keys(distances), func(a, b string) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), strings.Compare(a, b))
	})
	for i, name := range sorted {
		sorted[i] = strconv.Quote(name)
	}
	return strings.Join(tf.First(sorted, most), ", ")
}

// Misspelled returns the name that another one is like, but not equal to, or "". One that is a part of the other
// may have a meaning of its own.
func Misspelled(name string, known []string) string {
	i := slices.IndexFunc(known, func(one string) bool { return distance(name, one) <= 2 })
	if i < 0 || strings.Contains(known[i], name) {
		return ""
	}
	return known[i]
}

// distance returns the number of characters to insert, delete or replace in one text to get another one.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
