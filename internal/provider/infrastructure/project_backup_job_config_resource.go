package infrastructure

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// The types of the API.
type (
	jobConfig      = opsmanager.JobConfig
	machine        = opsmanager.DaemonMachine
	storeReference = opsmanager.StoreReference
)

const keptFilter = " `[]` removes the filter." + tf.Kept

// NewJobConfigResource returns the resource opsmanager_project_backup_job_config.
var NewJobConfigResource = jobConfigType.Constructor()

var jobConfigType = &putresource.Type[jobConfig]{
	Name:  "project_backup_job_config",
	Title: "Backup Job Configuration",
	Word:  "job configuration",
	Of:    " of Project",
	Description: "Manages the backup job configuration of a project: the daemons and stores that its backups can be assigned to.\n\n" +
		"If the project has a job configuration, creating this resource **adopts** it, and the plan shows in `overwrites` what changes. " +
		"Otherwise, the provider creates one. " +
		"The filters apply when a backup starts: a running backup keeps its daemon and its stores. " +
		"Ops Manager accepts a filter that names nothing assignable, or a wrong `type`, so the plan warns.\n\n" +
		"Ops Manager can't delete a job configuration. Destroying this resource only removes it from the state, unless you set `on_destroy = \"reset\"`.\n\n" +
		"-> Requires the role `Global Backup Admin`.\n\n" +
		"Since 8.0.27, Ops Manager refuses to delete a store that a job configuration names. If you destroy both, set `on_destroy = \"reset\"`, " +
		"and refer to the IDs of your store and daemon resources, so that Terraform resets the job configuration before it deletes the stores. " +
		"Also set `create_before_destroy = true` in the `lifecycle` block of each store. Otherwise, if you remove a store, Terraform deletes it before it updates the filter that names it.\n\n" +
		"If the job configuration is gone, Ops Manager 6.0 returns 401, as for a key without the role, so a refresh fails. If the key has the role, run `terraform state rm ADDRESS`.",

	ID: tf.ImportID{
		Attributes: []string{"project_id"},
		Texts:      []string{"ID of the project: 24 hexadecimal digits."},
		Advice:     "Import a job configuration by its project_id.",
	},
	Described: putresource.Described[jobConfig]{
		Fields: jobConfigFields,
		Attributes: map[string]schema.Attribute{
			"project_id":   tf.ObjectIDAttribute("ID of the project. Forces replacement."),
			"label_filter": tf.TextsAttribute("Labels that daemons and stores must have. Without a filter, only daemons and stores without labels serve the project." + keptFilter),
			"daemon_filter": filter("Daemons that backups can be assigned to. Without a filter, all daemons that match `label_filter`.", map[string]schema.Attribute{
				"machine": putresource.NewText("Host name of the machine that the daemon runs on.", stringvalidator.LengthAtLeast(1)),
				"head_root_directory": schema.StringAttribute{
					Optional:            true,
					Validators:          []validator.String{tf.NoContent},
					MarkdownDescription: "Head directory of the daemon, as Ops Manager has it. If unset, all head directories of the machine.",
				},
			}),
			"snapshot_store_filter": storeFilter("Snapshot stores that backups can be assigned to. Without a filter, all stores that match `label_filter`.", "s3blockstore", "blockstore", "fileSystemStore"),
			"oplog_store_filter":    storeFilter("Oplog stores that backups can be assigned to. Without a filter, all that match `label_filter`.", "oplogStore", "s3OplogStore", "thirdPartyOplogStore"),
			"sync_store_filter":     tf.TextsAttribute("IDs of the sync stores that backups can be assigned to. Without a filter, all that match `label_filter`." + keptFilter),
			kmipPath: tf.TextAttribute(kmipPathText+" `\"\"` removes the path and the password."+tf.Kept+
				" If Ops Manager does not return the path of a job configuration that you adopt or import, configure it before you change another attribute: a change replaces all of the job configuration, and removes a certificate that is neither returned nor configured.", tf.NoContent),
		},
	},
	Secrets: []putresource.Secret[jobConfig]{{
		Attribute:   kmipPassword,
		At:          putresource.At(&sampleConfig, &sampleConfig.KMIPClientCertPassword),
		Excluded:    func(j jobConfig) bool { return tf.Text(j.KMIPClientCertPath) == "" },
		Lacks:       func(j jobConfig) bool { return j.KMIPClientCertPath != nil && *j.KMIPClientCertPath == "" },
		Removal:     "set " + kmipPath + " = \"\" and apply, which removes the certificate from the job configuration, and then configure both again",
		Description: "Password of the client certificate for KMIP, or `\"\"` if it has none. Requires `" + kmipPath + "`. A change of the job configuration replaces all of it, so it requires the password of a certificate that is there. If you remove the attribute and change nothing else, Ops Manager keeps the password.",
	}},

	Adopts:       true,
	WriteTimeout: writeTimeout,

	Codes: []tf.Codes{projects.Codes, {Attributes: map[string]string{
		"BACKUP_KMIP_CERTIFICATE_PATH_REQUIRED": kmipPath,
		"kmipClientCertPassword":                kmipPath, // Terraform prints the line of the attribute
	}}},
	Kind: opsmanager.ObjectJobConfig,
	End: putresource.End[jobConfig]{
		Reset:    &noFilters, // and not the certificate: snapshots that were encrypted with it need it
		Deletion: "removes all filters, so that every daemon and store without labels serves new backups of the project, and keeps the certificate for KMIP only if Ops Manager returns its path or the Terraform state has it",
	},

	Object: func(id []string) jobConfig { return jobConfig{ID: id[0]} },
	Calls: putresource.Calls[jobConfig]{
		Get:    getJobConfig,
		Find:   findJobConfig,
		Create: putJobConfig,
		Put:    putJobConfig,
	},
	Merge:    mergeJobConfig,
	Validate: checkCertificate,
	Check:    checkFilters,
}

// filter returns the attribute of a filter whose elements are objects.
func filter(description string, members map[string]schema.Attribute) schema.SetNestedAttribute {
	return schema.SetNestedAttribute{
		Optional:            true,
		Computed:            true,
		MarkdownDescription: description + keptFilter,
		Validators:          []validator.Set{setvalidator.NoNullValues()},
		NestedObject:        schema.NestedAttributeObject{Attributes: members},
	}
}

func storeFilter(description string, kinds ...string) schema.SetNestedAttribute {
	last := len(kinds) - 1
	listed := "`" + strings.Join(kinds[:last], "`, `") + "` or `" + kinds[last] + "`"
	return filter(description, map[string]schema.Attribute{
		"id":   putresource.NewText("ID of the store.", stringvalidator.LengthAtLeast(1)),
		"type": putresource.NewText("Type of the store: "+listed+". `opsmanager_backup_stores` spells it with underscores.", stringvalidator.OneOf(kinds...)),
	})
}

// checkCertificate rejects a password without a path.
func checkCertificate(config tf.Values, diags *diag.Diagnostics) {
	at := tf.As[types.String](config, kmipPath)
	password := tf.SecretOf(config, kmipPassword)
	if password.IsSet() && !password.IsEmpty() && !at.IsUnknown() && at.ValueString() == "" {
		diags.AddAttributeError(path.Root(kmipPath), "Password Without a Certificate", kmipPassword+" is the password of a client certificate. Set "+kmipPath+", too.")
	}
}

func getJobConfig(ctx context.Context, d *connection.Data, id []string) (*jobConfig, error) {
	return liveJobConfig(ctx, d.Client, id[0])
}

// liveJobConfig reads the job configuration of a project. If there is none, Ops Manager returns the code of the
// project, and only the project tells which of the two is missing.
func liveJobConfig(ctx context.Context, client *opsmanager.Client, projectID string) (*jobConfig, error) {
	live, err := client.JobConfig(ctx, projectID)
	if !opsmanager.IsMissing(err, opsmanager.ObjectProject) {
		return live, err
	}
	if _, err := client.Project(ctx, projectID); err != nil {
		return nil, err
	}
	return nil, opsmanager.Missing(opsmanager.ObjectJobConfig, err)
}

// findJobConfig reads the job configuration of a project before a creation. If there is none, Ops Manager
// 6.0 returns 401, as it does for a key that lacks the role. But such a key can't list job configurations
// either. A key that is rejected gets no code. The project may not be visible to a key that can create a job
// configuration.
func findJobConfig(ctx context.Context, d *connection.Data, id []string) (*jobConfig, error) {
	live, err := d.Client.JobConfig(ctx, id[0])
	switch {
	case opsmanager.IsMissing(err, opsmanager.ObjectProject):
	case opsmanager.MayBeMissing(err, opsmanager.ObjectJobConfig):
		all, listErr := opsmanager.Identified(d.Client.ListJobConfigs(ctx))
		isListed := func(j jobConfig) bool { return strings.EqualFold(j.ID, id[0]) }
		if listErr != nil || slices.ContainsFunc(all.Results, isListed) {
			return nil, err
		}
	default:
		return live, err
	}
	_, unread := d.Client.Project(ctx, id[0])
	refusal, isRefused := errors.AsType[*opsmanager.Error](unread)
	isHidden := isRefused && (refusal.Status == http.StatusUnauthorized || refusal.Status == http.StatusForbidden)
	if unread != nil && !isHidden {
		return nil, unread
	}
	return nil, opsmanager.Missing(opsmanager.ObjectJobConfig, err)
}

// putJobConfig creates or replaces a job configuration. An empty path of the certificate removes it, with
// its password. Older versions misread empty lists, so only the filter by labels is always sent, as
// MongoDB's Kubernetes operator does.
func putJobConfig(ctx context.Context, d *connection.Data, config jobConfig) (*jobConfig, error) {
	if tf.Text(config.KMIPClientCertPath) == "" {
		config.KMIPClientCertPath = nil
	}
	if config.LabelFilter == nil {
		config.LabelFilter = &opsmanager.Replaced[string]{}
	}
	config.DaemonFilter = nonEmpty(config.DaemonFilter)
	config.SnapshotStoreFilter = nonEmpty(config.SnapshotStoreFilter)
	config.OplogStoreFilter = nonEmpty(config.OplogStoreFilter)
	config.SyncStoreFilter = nonEmpty(config.SyncStoreFilter)
	return d.Client.UpdateJobConfig(ctx, config)
}

func nonEmpty[E any](list *opsmanager.Replaced[E]) *opsmanager.Replaced[E] {
	if list == nil || len(*list) == 0 {
		return nil
	}
	return list
}

// NewJobConfigList returns the list resource opsmanager_project_backup_job_config.
var NewJobConfigList = sources.ListResource[jobConfig]{
	Name:        "project_backup_job_config",
	Title:       "Backup Job Configurations",
	Description: "Lists the backup job configurations of all projects that have one, sorted by project ID, without their KMIP certificates.",
	Requires:    "the role `Global Backup Admin`",
	Read: func(ctx context.Context, q sources.Query) (*opsmanager.List[jobConfig], error) {
		all, err := q.Client.ListJobConfigs(ctx)
		if err == nil && len(all.Results) > 0 {
			_, _ = q.Client.ListProjects(ctx) // for their names
		}
		return all, err
	},
	Sort: func(all []jobConfig) []jobConfig {
		return tf.Sorted(all, tf.By(func(j jobConfig) *string { return &j.ID }))
	},
	Object: func(_ context.Context, q sources.Query, live jobConfig) sources.Listed {
		object := jobConfigType.Listed(live, live.ID)
		object.Name = cmp.Or(q.Client.NameOf(live.ID), object.Name)
		delete(object.Resource, kmipPath)
		return object
	},
}.Constructor()

// Attributes of the certificate for KMIP.
const (
	kmipPath     = "kmip_client_cert_path"
	kmipPassword = "kmip_client_cert_password"
)

// kmipPathText says what the path is, in the resource and in the data source.
const kmipPathText = "Path of the file with the client certificate for KMIP."

var (
	machineType = types.ObjectType{AttrTypes: map[string]attr.Type{"machine": types.StringType, "head_root_directory": types.StringType}}
	storeType   = types.ObjectType{AttrTypes: map[string]attr.Type{"id": types.StringType, "type": types.StringType}}
)

// sampleConfig says where a job configuration has its fields.
var sampleConfig jobConfig

// jobConfigFilters are the filters of a job configuration.
var jobConfigFilters = tf.Fields[jobConfig]{
	tf.TextsField("label_filter", putresource.At(&sampleConfig, &sampleConfig.LabelFilter)),
	tf.SetField("daemon_filter", putresource.At(&sampleConfig, &sampleConfig.DaemonFilter), machineType, machineFromAPI, machineToAPI),
	storesField("snapshot_store_filter", &sampleConfig.SnapshotStoreFilter),
	storesField("oplog_store_filter", &sampleConfig.OplogStoreFilter),
	tf.TextsField("sync_store_filter", putresource.At(&sampleConfig, &sampleConfig.SyncStoreFilter)),
}

func storesField(attribute string, at **opsmanager.Replaced[storeReference]) tf.Field[jobConfig] {
	return tf.SetField(attribute, putresource.At(&sampleConfig, at), storeType, storeFromAPI, storeToAPI)
}

// jobConfigFields are the fields of a job configuration that a configuration can set, without its secret.
// The path is documented to be returned, unlike a secret, which may be masked. So a change does not require the path where none
// was ever returned or configured: most projects have none.
var jobConfigFields = append(
	slices.Clone(jobConfigFilters),
	tf.TextField(kmipPath, putresource.At(&sampleConfig, &sampleConfig.KMIPClientCertPath)).Absent(tf.UnknownOnceReturned),
)

func machineFromAPI(m machine) attr.Value {
	return types.ObjectValueMust(machineType.AttrTypes, tf.Values{
		"machine":             types.StringValue(m.Machine),
		"head_root_directory": types.StringPointerValue(tf.NonEmpty(m.HeadRootDirectory)),
	})
}

func machineToAPI(value attr.Value) machine {
	return machine{
		Machine:           text(value, "machine").ValueString(),
		HeadRootDirectory: tf.StringPointer(text(value, "head_root_directory")),
	}
}

func storeFromAPI(s storeReference) attr.Value {
	return types.ObjectValueMust(storeType.AttrTypes, tf.Values{
		"id":   types.StringValue(s.ID),
		"type": types.StringValue(s.Type),
	})
}

func storeToAPI(value attr.Value) storeReference {
	return storeReference{ID: text(value, "id").ValueString(), Type: text(value, "type").ValueString()}
}

// text returns a string attribute of an object.
func text(object attr.Value, attribute string) types.String {
	nested, _ := object.(types.Object)
	return tf.As[types.String](nested.Attributes(), attribute)
}

// noFilters is a job configuration whose filters are all empty.
var noFilters = func() (config jobConfig) {
	jobConfigFilters.Set(&config, jobConfigFilters.FromAPI(tf.Values{}, config))
	return config
}()

// mergeJobConfig completes a job configuration with the members of the live one that the provider does not
// know.
func mergeJobConfig(whole *jobConfig, live jobConfig) {
	whole.Unknown = live.Unknown
	whole.DaemonFilter = filteredMachines.Keep(whole.DaemonFilter, live.DaemonFilter)
	whole.SnapshotStoreFilter = filteredStores.Keep(whole.SnapshotStoreFilter, live.SnapshotStoreFilter)
	whole.OplogStoreFilter = filteredStores.Keep(whole.OplogStoreFilter, live.OplogStoreFilter)
}

var filteredMachines = putresource.Elements[machine]{
	Value:   machineFromAPI,
	Name:    func(m machine) string { return m.Machine },
	Unknown: func(m *machine) *opsmanager.UnknownFields { return &m.Unknown },
}

var filteredStores = putresource.Elements[storeReference]{
	Value:   storeFromAPI,
	Name:    func(s storeReference) string { return s.ID },
	Unknown: func(s *storeReference) *opsmanager.UnknownFields { return &s.Unknown },
}
