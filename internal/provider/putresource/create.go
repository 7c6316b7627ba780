package putresource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Create creates an object, or adopts one that exists. It stores nothing if anything fails: Terraform
// would taint the resource, and replace it with the next apply.
func (r *lifecycle[T]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	config := r.valuesOf(ctx, req.Config, diags)
	plan := r.valuesOf(ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	t := r.target(config, plan, nil, known{})
	ctx, end := t.begin(ctx, diags)
	if end == nil {
		return
	}
	defer end()
	var done *result[T]
	if r.Calls.Add != nil {
		done = t.add(ctx, diags)
	} else {
		switch live, gone := t.find(ctx, "Create", diags); {
		case live != nil:
			done = t.adopt(ctx, *live, diags)
		case gone != nil && t.isOverwriting():
			t.isAdoption = true
			diags.Append(t.goneSincePlan(gone))
		case gone != nil:
			done = t.create(ctx, diags)
		}
	}
	if diags.HasError() {
		if done != nil {
			diags.AddError(r.summary("Create"), fmt.Sprintf("The %s exists in Ops Manager, and was left out of the Terraform state, because the next apply would otherwise replace it. "+
				"Configure the values that Ops Manager keeps. %s", r.Word, t.howToAdopt()))
		}
		return
	}
	r.Claim(r.key(t.id), connection.Applied)
	diags.Append(tf.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, done.Now))...)
	diags.Append(tf.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
	t.storeKnown(ctx, resp.Private, *done, diags)
}

// find reads the object of a creation, because the effect of creating one that exists may be a replacement. It returns the
// object if it is to be adopted, why there is none if it is to be created, or neither after an error, whose title has a verb.
func (t *target[T]) find(ctx context.Context, verb string, diags *diag.Diagnostics) (live *T, gone error) {
	live, err := t.Calls.Find(ctx, t.Data, t.id)
	missing := t.missing()
	switch {
	case err == nil && t.Adopts:
		t.isAdoption = true
		return live, nil
	case err == nil:
		diags.Append(t.exists())
	case opsmanager.MayBeUnreadable(err, t.Kind):
		diags.Append(t.unreadable(err))
	case !opsmanager.IsMissing(err, t.Kind):
		diags.Append(t.failed(verb, err))
	case len(missing) > 0:
		diags.Append(onAttribute(missing[0], t.summary("Create"), "There is no %s, and creating it requires %s as well. Configure that, or check the ID. %s",
			t.quoted(), strings.Join(missing, ", "), tf.Sentence(err)))
	default:
		return nil, err
	}
	return nil, nil
}

// missing returns the attributes that a creation requires and that are not configured. Those that are not known yet may say
// which secrets are required.
func (t *target[T]) missing() []string {
	hasUnknown := t.hasUnknown()
	return slices.DeleteFunc(t.lacking(t.planned), func(attribute string) bool {
		isSecret := t.field(attribute) == nil
		return t.isUnknown(attribute) || t.isConfigured(attribute) || isSecret && hasUnknown
	})
}

// lacking returns what a creation requires: the attributes that an object lacks, and the secrets that it needs.
func (t *Type[T]) lacking(object T) (lacking []string) {
	for _, attribute := range t.Required {
		if t.field(attribute).IsMissing(object) {
			lacking = append(lacking, attribute)
		}
	}
	for _, s := range t.Secrets {
		if s.Required != nil && s.Required(object) {
			lacking = append(lacking, s.Attribute)
		}
	}
	return lacking
}

// create sends the request that creates the object, and finds out what Ops Manager made of it. It does not repeat the request
// if the object exists then. It returns nil if the request failed.
func (t *target[T]) create(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	object := t.whole(*new(T)) // nothing is live
	findAgain := func(ctx context.Context) (*T, error) {
		switch _, err := t.Calls.Find(ctx, t.Data, t.id); {
		case err == nil:
			return nil, errors.New("it exists now")
		case !opsmanager.IsMissing(err, t.Kind):
			return nil, err
		}
		return t.prepare(ctx, object)
	}
	send := func(attempt context.Context, ready *T) (*T, error) { return t.Calls.Create(attempt, t.Data, *ready) }
	ready, err := t.prepare(ctx, object)
	var created *T
	if err == nil {
		created, err = opsmanager.Change(ctx, t.Client, t.Kind, ready, findAgain, send)
	}
	if err != nil {
		diags.Append(t.notCreated(err))
		return nil
	}
	return t.check(ctx, t.write().Created(*created), diags)
}

// prepare waits until an object can be created, and completes it with what exists of it, if the type has a Prepare. Otherwise,
// it returns the object as it is.
func (t *target[T]) prepare(ctx context.Context, object T) (*T, error) {
	if t.Calls.Prepare == nil {
		return &object, nil
	}
	ready, err := t.Calls.Prepare(ctx, t.Data, object)
	if err != nil {
		return nil, err
	}
	if refused := t.unknownMembers(t.masked(*ready, *ready, *ready)); refused != nil {
		return nil, tf.Explained{Diagnostic: refused}
	}
	return ready, nil
}

// add creates an object whose ID Ops Manager chooses, and returns nil if that failed. The object can't be found again, so it
// is stored with warnings.
func (t *target[T]) add(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	id, created, found, err := t.Calls.Add(ctx, t.Data, t.wanted)
	if err != nil {
		d := t.failed("Create", err)
		if found != "" {
			d = tf.WithMore(d, "\n\nThe provider stored nothing. "+found)
		}
		diags.Append(d)
		return nil
	}
	t.id = id
	for i, attribute := range t.ID.Attributes {
		if t.plan[attribute].IsUnknown() { // a configured one may have capitals
			t.plan[attribute] = types.StringValue(id[i])
		}
	}
	var problems diag.Diagnostics
	done := t.check(ctx, t.write().Created(*created), &problems)
	for _, d := range problems {
		diags.AddWarning(d.Summary(), d.Detail())
	}
	return done
}

// adopt makes the change of a live object that a creation adopts.
func (t *target[T]) adopt(ctx context.Context, live T, diags *diag.Diagnostics) *result[T] {
	if t.HasClaim(t.key(t.id), connection.Applied) {
		diags.Append(t.managedTwice()) // the plan did not know the ID
		return nil
	}
	if t.plan[overwrites].IsUnknown() { // the plan has said that it can't show this
		t.plan[overwrites] = t.overwritesOf(live)
	}
	return t.apply(ctx, diags)
}
