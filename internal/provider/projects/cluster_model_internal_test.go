package projects

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// cluster returns a cluster as in a response that leaves out empty texts.
func cluster(id, name, typeName, replicaSet, shard string) opsmanager.Cluster {
	orNil := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	return opsmanager.Cluster{ID: orNil(id), ClusterName: orNil(name), TypeName: orNil(typeName), ReplicaSetName: orNil(replicaSet), ShardName: orNil(shard)}
}

// someProject has every kind of cluster, unsorted.
var someProject = []opsmanager.Cluster{
	cluster("s2", "shop", "REPLICA_SET", "shop-1", "shop-1"),
	cluster("w1", "shop", "SHARDED_REPLICA_SET", "", "shop-0"),
	cluster("r1", "ledger", "REPLICA_SET", "ledger-rs", ""),
	cluster("c1", "shop", "CONFIG_SERVER_REPLICA_SET", "shop-config", ""),
	cluster("s1", "shop", "REPLICA_SET", "shop-0", "shop-0"),
	cluster("t2", "twin", "REPLICA_SET", "twin-b", ""),
	cluster("t1", "twin", "REPLICA_SET", "twin-a", ""),
	cluster("o1", "old", "SHARDED", "", ""),
	cluster("o2", "old", "REPLICA_SET", "old-0", ""), // not listed as a shard
	cluster("x1", "new", "SOMETHING_NEW", "", ""),
	cluster("e1", "embedded", "CONFIG_SHARD_REPLICA_SET", "", ""),
	cluster("n1", "", "REPLICA_SET", "nameless", ""),
	cluster("p1", "orphan", "REPLICA_SET", "orphan-0", "orphan-0"), // whose cluster is not listed
	cluster("m1", "main", "SHARDED_REPLICA_SET", "", ""),
	cluster("m2", "main", "REPLICA_SET", "main-0", "main-0"),
	cluster("m3", "main", "REPLICA_SET", "main-rs", ""), // has the same name by chance
	cluster("y1", "bare", "", "", ""),
	{},
}

// clusterIDs returns the ID of each cluster, '-' for one without.
func clusterIDs(clusters []listedCluster) string {
	var ids []string
	for _, c := range clusters {
		ids = append(ids, tf.OrDash(c.ID))
	}
	return strings.Join(ids, " ")
}

func TestClustersAreSortedByNameTypeAndID(t *testing.T) {
	t.Parallel()
	anyOne := types.StringNull()
	if got := clusterIDs(listedClusters(someProject, anyOne, anyOne)); got != "y1 e1 r1 m2 m3 m1 n1 x1 o2 o1 p1 c1 s1 s2 w1 t1 t2 -" {
		t.Error(got)
	}
	if *someProject[0].ID != "s2" {
		t.Error("the list of the response was sorted")
	}
}

func TestClustersAreFilteredByTheirExactNameAndType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, typeName, want string }{
		{"shop", "", "c1 s1 s2 w1"},
		{"shop", "REPLICA_SET", "s1 s2"},
		{"", "REPLICA_SET", "r1 m2 m3 n1 o2 p1 s1 s2 t1 t2"},
		{"nameless", "", "n1"},
		{"Shop", "", ""},
		{"sho", "", ""},
		{"shop", "SHARDED", ""},
	} {
		name, typeName := types.StringNull(), types.StringNull()
		if test.name != "" {
			name = types.StringValue(test.name)
		}
		if test.typeName != "" {
			typeName = types.StringValue(test.typeName)
		}
		if got := clusterIDs(listedClusters(someProject, name, typeName)); got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.name, test.typeName, got, test.want)
		}
	}
}

func TestFilterDoesNotChangeWhichClustersAreWhole(t *testing.T) {
	t.Parallel()
	if listed := listedClusters(someProject, types.StringValue("old"), types.StringValue("REPLICA_SET")); len(listed) != 1 || !listed[0].whole {
		t.Errorf("%v is a replica set", listed)
	}
}

func TestUniqueNameSelectsItsCluster(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		typeName   types.String
	}{
		{"ledger", "r1", types.StringNull()},
		{"ledger", "r1", types.StringValue("REPLICA_SET")},
		{"shop", "w1", types.StringValue("SHARDED_REPLICA_SET")},
		{"shop", "w1", types.StringNull()}, // the whole cluster
		{"nameless", "n1", types.StringNull()},
		{"shop", "c1", types.StringValue("CONFIG_SERVER_REPLICA_SET")},
	} {
		got, problem := chosenCluster(someProject, types.StringValue(test.name), test.typeName)
		if problem != "" || *got.ID != test.want {
			t.Errorf("%s: %v, %s", test.name, got.ID, problem)
		}
	}
}

func TestMissingOrAmbiguousNameIsAnErrorWithTheClusters(t *testing.T) {
	t.Parallel()
	many := []opsmanager.Cluster{}
	for c := range 21 {
		many = append(many, cluster("", string(rune('a'+c)), "REPLICA_SET", "", ""))
	}
	for _, test := range []struct {
		project        []opsmanager.Cluster
		name, typeName string
		want           string
	}{
		{someProject, "shop", "REPLICA_SET", `2 clusters of type REPLICA_SET are called "shop":
  - s1, REPLICA_SET, replica set shop-0
  - s2, REPLICA_SET, replica set shop-1

To choose one, set cluster_id instead of name.`},
		{someProject, "twin", "", `2 clusters are called "twin":
  - t1, REPLICA_SET, replica set twin-a: a whole cluster
  - t2, REPLICA_SET, replica set twin-b: a whole cluster

To choose one, set cluster_id instead of name.`},
		{someProject, "shop", "SHARDED", `The project has no cluster of type SHARDED called "shop". Clusters of other types with this name:
  - c1, CONFIG_SERVER_REPLICA_SET, replica set shop-config
  - s1, REPLICA_SET, replica set shop-0
  - s2, REPLICA_SET, replica set shop-1
  - w1, SHARDED_REPLICA_SET: a whole cluster`},
		{
			someProject, "Shop", "",
			`The project has no cluster called "Shop". It has "shop", "bare", "main", "new", "old", "twin", "orphan", "ledger", "embedded", "nameless".`,
		},
		{nil, "shop", "", `The project has no cluster called "shop". Ops Manager does not monitor any cluster in it yet.`},
		{many, "shop", "", `The project has no cluster called "shop". It has "h", "o", "p", "s", "a", "b", "c", "d", "e", "f", and 11 more.`},
	} {
		typeName := types.StringNull()
		if test.typeName != "" {
			typeName = types.StringValue(test.typeName)
		}
		if _, got := chosenCluster(test.project, types.StringValue(test.name), typeName); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
