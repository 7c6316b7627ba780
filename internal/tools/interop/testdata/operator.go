// Command interopdriver calls Ops Manager with the client of MongoDB's Kubernetes operator. It is
// compiled into the operator's module, and prints a line for each call: its name, and a tab with the
// error if it failed.
package main

import (
	"fmt"
	"os"
	"strings"

	"go.uber.org/zap"

	"github.com/mongodb/mongodb-kubernetes/controllers/om"
	"github.com/mongodb/mongodb-kubernetes/controllers/om/api"
	"github.com/mongodb/mongodb-kubernetes/controllers/om/backup"
)

const (
	project = "64f0c2a19b3d5e7f80a1b2c3"
	ledger  = "650a1f3c2e4b6d8091a3b5c7"
	fraud   = "650a1e4a0f2c3d5b7e9f1a2b"
	reports = "650a2177e1f3a5b7c9d00e42"
	uri     = "mongodb://backup:secret@db1.example.com:27017,db2.example.com:27017"
)

func call(name string, f func() error) {
	text := ""
	if err := f(); err != nil && fmt.Sprint(err) != "<nil>" {
		text = "\t" + strings.Join(strings.Fields(err.Error()), " ")
	}
	fmt.Println(name + text)
}

// plain hides a nil pointer in an error.
func plain[T any](_ T, err error) error { return err }

func want[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s is %v, want %v", what, got, want)
	}
	return nil
}

func main() {
	address := strings.TrimSuffix(os.Getenv("OM_URL"), "/")
	user := os.Getenv("PUBLIC_KEY")
	key := os.Getenv("PRIVATE_KEY")
	admin := api.NewOmAdmin(address, user, key, nil)
	connection := om.NewOpsManagerConnection(&om.OMContext{
		BaseURL:    address,
		GroupID:    project,
		GroupName:  "Payments",
		PublicKey:  user,
		PrivateKey: key,
	})

	call("list backup configurations", func() error {
		all, err := connection.ReadBackupConfigs()
		if err != nil {
			return err
		}
		return want("the number", len(all.Configs) > 5, true)
	})
	call("read a backup configuration", func() error {
		return plain(connection.ReadBackupConfig(ledger))
	})
	call("read a cluster", func() error { return plain(connection.ReadHostCluster(ledger)) })
	call("read a schedule", func() error { return plain(connection.ReadSnapshotSchedule(ledger)) })
	call("change a schedule", func() error {
		days := 4
		if err := connection.UpdateSnapshotSchedule(ledger, &backup.SnapshotSchedule{SnapshotRetentionDays: &days}); err != nil {
			return err
		}
		schedule, err := connection.ReadSnapshotSchedule(ledger)
		if err != nil {
			return err
		}
		return want("snapshotRetentionDays", *schedule.SnapshotRetentionDays, 4)
	})
	call("change what was read of a schedule", func() error {
		schedule, err := connection.ReadSnapshotSchedule(ledger)
		if err != nil {
			return err
		}
		return connection.UpdateSnapshotSchedule(ledger, schedule)
	})
	call("stop a backup", func() error {
		return connection.UpdateBackupStatus(ledger, backup.Stopped)
	})
	start := func(cluster string) error {
		return plain(connection.UpdateBackupConfig(&backup.Config{
			ClusterId:          cluster,
			ProjectId:          project,
			Status:             backup.Started,
			StorageEngineName:  "WIRED_TIGER",
			SyncSource:         "PRIMARY",
			ExcludedNamespaces: []string{}, // and null for the included ones
		}))
	}
	call("start a backup", func() error { return start(reports) })
	call("restart a backup", func() error { return start(fraud) })
	call("change a job configuration", func() error {
		id := project
		return plain(connection.UpdateGroupBackupConfig(backup.GroupBackupConfig{Id: &id, LabelFilter: []string{"east"}}))
	})
	call("read a job configuration", func() error {
		return plain(connection.ReadGroupBackupConfig())
	})

	call("list automation agents", func() error {
		agents, err := connection.ReadAutomationAgents(1)
		if err != nil {
			return err
		}
		return want("the number", len(agents.Results()) > 5, true)
	})
	call("read the automation configuration", func() error {
		return plain(connection.ReadAutomationConfig())
	})
	call("activate the backup modules of all hosts", func() error {
		before, err := connection.ReadDeployment()
		if err != nil {
			return err
		}
		activate := func(d om.Deployment) error {
			d.ConfigureMonitoringAndBackup(zap.NewNop().Sugar(), false, "")
			return nil
		}
		if err := connection.ReadUpdateDeployment(activate, zap.NewNop().Sugar()); err != nil {
			return err
		}
		after, err := connection.ReadDeployment()
		if err != nil {
			return err
		}
		if err := want("the version", after.Version(), before.Version()+1); err != nil {
			return err
		}
		return want("the number of modules", len(after.BackupVersionsCopy()), after.NumberOfProcesses())
	})
	call("read the automation status", func() error {
		return plain(connection.ReadAutomationStatus())
	})
	call("read what an external system controls", func() error {
		return plain(connection.GetControlledFeature())
	})

	call("read a daemon", func() error {
		return plain(admin.ReadDaemonConfig("om-ny.example.com", "/data/backup/"))
	})
	call("change what was read of a daemon", func() error {
		daemon, err := admin.ReadDaemonConfig("om-ny.example.com", "/data/backup/")
		if err != nil {
			return err
		}
		daemon.Labels = []string{"east"}
		return admin.UpdateDaemonConfig(daemon)
	})
	call("configure a daemon", func() error {
		return admin.CreateDaemonConfig("om-eu.example.com", "/data/heads/", nil)
	})

	call("list oplog stores", func() error { return plain(admin.ReadOplogStoreConfigs()) })
	call("create an oplog store", func() error {
		return admin.CreateOplogStoreConfig(backup.NewDataStoreConfig("operator-1", uri, false, nil))
	})
	call("change what was read of an oplog store", func() error {
		stores, err := admin.ReadOplogStoreConfigs()
		if err != nil {
			return err
		}
		for _, store := range stores {
			if store.Id == "operator-1" {
				changed := backup.NewDataStoreConfig("operator-1", uri, true, []string{"a"})
				return admin.UpdateOplogStoreConfig(changed.MergeIntoOpsManagerConfig(store))
			}
		}
		return fmt.Errorf("operator-1 is not in the list")
	})
	call("delete an oplog store", func() error {
		return admin.DeleteOplogStoreConfig("operator-1")
	})

	call("list blockstores", func() error { return plain(admin.ReadBlockStoreConfigs()) })
	call("create a blockstore", func() error {
		return admin.CreateBlockStoreConfig(backup.NewDataStoreConfig("operator-1", uri, false, nil))
	})
	call("change what was read of a blockstore", func() error {
		stores, err := admin.ReadBlockStoreConfigs()
		if err != nil {
			return err
		}
		for _, store := range stores {
			if store.Id == "operator-1" {
				changed := backup.NewDataStoreConfig("operator-1", uri, true, nil)
				return admin.UpdateBlockStoreConfig(changed.MergeIntoOpsManagerConfig(store))
			}
		}
		return fmt.Errorf("operator-1 is not in the list")
	})
	call("delete a blockstore", func() error { return admin.DeleteBlockStoreConfig("operator-1") })

	proxy := false
	region := ""
	lock := false
	s3 := backup.S3Config{
		S3Bucket:               backup.S3Bucket{Name: "snapshots", Endpoint: "s3.example.com"},
		S3Credentials:          backup.S3Credentials{AccessKey: "AKIA00000000", SecretKey: "secret"},
		AcceptedTos:            true,
		AssignmentEnabled:      true,
		PathStyleAccessEnabled: true,
		Id:                     "operator-1",
		Uri:                    uri,
		MaxConnections:         50,
		AuthMethod:             string(backup.KEYS),
		DisableProxyS3:         &proxy,
		S3RegionOverride:       &region,
	}
	version := os.Getenv("OM_VERSION")
	if !strings.HasPrefix(version, "6.") && !strings.HasPrefix(version, "7.") {
		s3.ObjectLockEnabled = &lock
	}
	call("list S3 blockstores", func() error { return plain(admin.ReadS3Configs()) })
	call("create an S3 blockstore", func() error { return admin.CreateS3Config(s3) })
	call("change an S3 blockstore", func() error {
		s3.MaxConnections = 60
		s3.AssignmentEnabled = false
		return admin.UpdateS3Config(s3)
	})
	call("delete an S3 blockstore", func() error { return admin.DeleteS3Config("operator-1") })
	s3.ObjectLockEnabled = nil
	call("list S3 oplog stores", func() error { return plain(admin.ReadS3OplogStoreConfigs()) })
	call("create an S3 oplog store", func() error { return admin.CreateS3OplogStoreConfig(s3) })
	call("change an S3 oplog store", func() error {
		s3.MaxConnections = 70
		return admin.UpdateS3OplogConfig(s3)
	})
	call("delete an S3 oplog store", func() error {
		return admin.DeleteS3OplogStoreConfig("operator-1")
	})
	call("list file system stores", func() error {
		return plain(admin.ReadFileSystemStoreConfigs())
	})
}
