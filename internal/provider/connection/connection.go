// Package connection passes what a configuration of the provider has to its resources, data sources,
// list resources and actions: the client, how long to wait, and the values that they share. It
// also reports the progress of actions, lets resources change an object one after the other, and records what the resources of a
// process plan and create.
package connection

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"golang.org/x/sync/semaphore"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Data is the provider's data for resources, data sources and actions: a client, or the names of the
// settings that are not known yet.
type Data struct {
	Client     *opsmanager.Client // nil while a setting is unknown
	Unknown    []string           // names of the settings that are not known yet
	SettleTime time.Duration      // how long Ops Manager may take to return what a request has changed or begun

	// RetentionProtection turns retention_protection on for all schedules.
	RetentionProtection bool

	locks  sync.Map // by name
	shared sync.Map // by the Shared of each value
}

// RetentionProtectionVariable is the environment variable that turns retention_protection on for all
// schedules.
const RetentionProtectionVariable = "OPSMANAGER_RETENTION_PROTECTION"

// HasClient reports whether there is a client. Terraform may plan before it configures the provider, and then there is no data.
func (d *Data) HasClient() bool { return d != nil && d.Client != nil }

// Ready reports whether there is a client. If there is none, it adds an error with the
// settings that are not known yet.
func (d *Data) Ready(summary string, diags *diag.Diagnostics) bool {
	if d.Client != nil {
		return true
	}
	diags.AddError(summary, fmt.Sprintf("The provider's %s is not known yet, so the provider can't call Ops Manager. "+
		"Apply the resource that the value comes from first, for example with -target, or manage that resource in a separate configuration. "+
		"You can also add depends_on to a data source, which Terraform then reads after that resource.", strings.Join(d.Unknown, ", ")))
	return false
}

// KeepsState reports whether a refresh must keep the state, because a setting of the provider is
// not known yet. If so, it adds a warning.
func (d *Data) KeepsState(diags *diag.Diagnostics) bool {
	if d.Client != nil {
		return false
	}
	diags.AddWarning("Ops Manager Not Read",
		fmt.Sprintf("The provider's %s is not known yet, so the state was kept, and drift is not shown.", strings.Join(d.Unknown, ", ")))
	return true
}

// Hide makes the client hide secrets from errors and log lines.
func (d *Data) Hide(secrets ...string) {
	if d.HasClient() {
		d.Client.Hide(secrets...)
	}
}

// IsReported reports whether a text that is equal for all objects of a kind was reported before in this process. Without a
// client, it returns false.
func (d *Data) IsReported(text string) bool { return d != nil && d.Client.IsReported(text) }

// Settle is like Wait, but also ends when SettleTime is over.
func (d *Data) Settle(ctx context.Context, agrees func() bool) {
	ctx, cancel := context.WithTimeout(ctx, d.SettleTime)
	defer cancel()
	_ = d.Wait(ctx, func() (bool, error) { return agrees(), nil })
}

// Wait calls reached until it returns true or an error, or until ctx ends. The pauses
// between the calls grow from 1 to 15 seconds, with the default SettleTime of 20.
func (d *Data) Wait(ctx context.Context, reached func() (bool, error)) error {
	pause := d.SettleTime / 20
	for {
		if ok, err := reached(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(pause*3/2, d.SettleTime*3/4)
	}
}

// Shared is a value that the resources of a provider process share, such as their claims. It is
// declared as a variable of a package: each variable is a value of its own, even if two have the
// same type.
type Shared[T any] struct {
	_ sync.Mutex // no two variables have the same address, and go vet reports a copy
}

// Of returns the value, which starts as the zero value. If d is nil, nothing is shared: Terraform
// plans a destroy without configuring the provider.
func (s *Shared[T]) Of(d *Data) *T {
	if d == nil {
		return new(T)
	}
	value, _ := d.shared.LoadOrStore(s, new(T))
	return value.(*T) //nolint:forcetypeassert // nothing else is stored under this variable
}

// Resource is embedded by resources and list resources. It has the provider's data.
type Resource struct {
	*Data
	TypeName string // without the provider's
}

// Metadata implements [resource.Resource].
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.TypeName
}

// Configure implements [resource.ResourceWithConfigure].
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.Data, _ = req.ProviderData.(*Data)
}

// DataSource is embedded by data sources. It stores the provider's data.
type DataSource struct{ *Data }

// Configure implements [datasource.DataSourceWithConfigure].
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.Data, _ = req.ProviderData.(*Data)
}

// Lock waits until no other resource of this process changes an object, and returns a function that unlocks
// it. So no request takes the result of another one for its own, or overwrites it. The name says what the
// object is, in any case, such as "schedule of cluster 650a1f3c2e4b6d8091a3b5c7".
func (d *Data) Lock(ctx context.Context, name string) (unlock func(), err error) {
	known, _ := d.locks.LoadOrStore(strings.ToLower(name), semaphore.NewWeighted(1))
	lock := known.(*semaphore.Weighted) //nolint:forcetypeassert // nothing else is stored
	if !lock.TryAcquire(1) {            // also if ctx has ended: nothing has to wait
		if err := lock.Acquire(ctx, 1); err != nil {
			return nil, err
		}
	}
	return sync.OnceFunc(func() { lock.Release(1) }), nil
}
