package regions

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// namesOfRequired names the fields that creating a region requires.
const namesOfRequired = "deployment_description, ingestion_endpoint, restore_endpoint and bq_proxy_endpoint"

// regionCodes are the fields of a region that an error may name. Ops Manager documents
// no codes for regions.
var regionCodes = diagnostics.Codes{
	Attributes: map[string]string{
		"deploymentDescription": "deployment_description",
		"ingestionEndpoint":     "ingestion_endpoint",
		"restoreEndpoint":       "restore_endpoint",
		"bqProxyEndpoint":       "bq_proxy_endpoint",
		"assignmentEnabled":     "assignment_enabled",
	},
}

// regionName returns the name of a region for messages.
func regionName(id string) string { return "Deployment Region " + id }

func onID(summary, detail string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(deploymentID), summary, detail)
}

// deletion is the warning about the deletion of a region.
func deletion(id string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Deletion of "+regionName(id),
		"Destroying this resource deletes the region in Ops Manager, even if it was adopted. Ops Manager refuses to delete a region while stores or daemons are bound to it. "+
			"To keep the region and only remove it from the Terraform state, set skip_destroy = true and apply that first. "+
			"The provider can't see whether a resource with a different provider alias still manages it. If you renamed the resource, add a moved block.")
}

// protected is the error of destroying a protected region.
func protected(id string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(deletionProtection), "Deployment Region Is Protected",
		fmt.Sprintf("deletion_protection of region %q is true in the Terraform state, so the region was not destroyed, and no request was sent. "+
			"Set deletion_protection = false and apply, then destroy or replace the region.", id))
}

// destroyedAndManaged is the error of a plan that destroys a region, and also creates,
// adopts or keeps it for another object.
func destroyedAndManaged(id string) diag.Diagnostic {
	return diagnostics.EndedAndManaged(path.Root("deployment_id"), "Deployment Region Destroyed and Managed in One Plan", "deployment_region", fmt.Sprintf("deletes region %q", id), "region")
}

// unknownAdoption is the error of a plan that deletes a region, and creates or adopts one whose ID is
// unknown.
func unknownAdoption() diag.Diagnostic {
	return onID("Unknown ID of a Deployment Region",
		"This plan deletes a region, and creates or adopts one whose deployment_id is only known after apply. If both are the same region, it would be deleted although the configuration still manages it. "+
			"If you renamed the resource, add a moved block. Otherwise "+useKnownID)
}

// useKnownID explains how to plan with a known ID.
const useKnownID = "use a deployment_id that is known when you plan: write the ID itself, or first apply what it depends on with -target. Then plan again."

// unknownReplacement is the error of replacing a region whose new ID is unknown, and whose creation
// fails if the ID stays the same. With create_before_destroy, Terraform would then keep only a
// deposed object.
func unknownReplacement(id string) diag.Diagnostic {
	return onID("Unable to Replace Deployment Region",
		fmt.Sprintf("deployment_id is only known after apply, so Terraform replaces this resource. If the ID is still %q, that deletes a region which the configuration still manages, "+
			"or fails because the region exists, if create_before_destroy or skip_destroy keeps it until then. To replace the resource, %s "+
			"If this error stops 'terraform destroy', run it with -refresh=false.", id, useKnownID))
}

// replacedWithoutFields is the error of a replacement that would delete a region for good.
func replacedWithoutFields(id string) diag.Diagnostic {
	return onID("Unable to Replace Deployment Region",
		fmt.Sprintf("Replacing this resource would delete region %q and could not create it again, because that requires %s. "+
			"Configure them, or do not replace the resource. If it is tainted, run 'terraform untaint ADDRESS' to keep it. If another address managed the region before, add a moved block.", id, namesOfRequired))
}

// replacedUnseen is the error of replacing a tainted region without a refresh, or by one whose ID
// differs, or was unknown in the plan. No plan has shown the provider what is destroyed.
func replacedUnseen(id string) diag.Diagnostic {
	return onID("Unable to Replace Deployment Region",
		fmt.Sprintf("The resource is tainted, and its deployment_id changes or was unknown in the plan, or the plan was made with -refresh=false. "+
			"The plan could not check whether region %q may be deleted, so it was not deleted. Run 'terraform untaint ADDRESS'. If the ID was unknown, %s "+
			"Unless adopt_existing is true in the state, Terraform has now lost the record that this resource created the region, so the provider neither changes nor deletes it. %s", id, useKnownID, howToClaim(id)))
}

// guessed warns that the provider only guesses that it created a region.
func guessed(id string, err error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(deploymentID), regionName(id)+" May Belong to Someone Else",
		"The response to the create request was lost. A region with this ID and these values exists now and did not exist before, so the request probably created it. "+
			"The provider can't know that, so it neither changes nor deletes the region. "+howToClaim(id)+"\n\n"+diagnostics.Sentence(err))
}

// guessNotChanged is the error of changing a region that the provider only guesses to have created.
func guessNotChanged(id string) diag.Diagnostic {
	return onID("Unable to Update Deployment Region",
		fmt.Sprintf("The provider does not know that this resource created region %q: the response to its request was lost, or the replacement of a tainted resource failed. So the provider does not change the region. %s "+
			"Otherwise, remove the resource from the state with 'terraform state rm ADDRESS', and use a new ID. If this error stops 'terraform destroy', run it with -refresh=false.", id, howToClaim(id)))
}

// guessNotDeleted warns that a destroy keeps a region that the provider only guesses to have created.
func guessNotDeleted(id string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(regionName(id)+" Removed Only From the State",
		"The provider does not know that this resource created the region: the response to its request was lost, or the replacement of a tainted resource failed. So destroying it does not delete the region. "+
			"If it is yours, delete it in the administration console, or import it before you destroy it.")
}

// howToClaim explains how to make a region known that the provider only guesses to have created.
func howToClaim(id string) string {
	return fmt.Sprintf("If it is yours, set adopt_existing = true and apply, or run 'terraform state rm ADDRESS' and 'terraform import ADDRESS %s'.", shellWord(id))
}

// managedTwice is the diagnostic of a region that two resources of a plan manage: an
// error if both set its fields.
func managedTwice(id string, overwritten bool) diag.Diagnostic {
	if overwritten {
		return onID("Deployment Region in Two Resources",
			fmt.Sprintf("Two resources of this plan set values of region %q, so applying one would overwrite the values of the other. "+
				"Keep only one of them. If you renamed the resource, add a moved block. To refer to the region elsewhere, use the data source opsmanager_deployment_regions. "+
				"If this error stops 'terraform destroy', run it with -refresh=false.", id))
	}
	return wholeobject.ManagedTwice(deploymentID, regionName(id), "destroying either one deletes it for both. Keep only one of them. "+
		"If one of them creates the region, the other must refer to its deployment_id, so that Terraform creates it first.")
}

// nothingToAdopt is the error of adopting a region that does not exist.
func nothingToAdopt(config regionModel, err error) diag.Diagnostic {
	return onID(config.createSummary(),
		fmt.Sprintf("There is no region %q to adopt: %s\n\nCheck the ID. To create the region, configure %s.", config.id(), diagnostics.Sentence(err), namesOfRequired))
}

// alreadyExists is the error of creating a region that exists.
func alreadyExists(id string) diag.Diagnostic {
	return onID(regionName(id)+" Already Exists",
		"Creating this resource would fail, because the region exists. "+howToAdopt(id)+
			" If you renamed the resource that manages it, add a moved block instead.")
}

// howToAdopt explains how to adopt a region that exists.
func howToAdopt(id string) string {
	return fmt.Sprintf("To adopt it without changing it, run:\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is the address of this resource. "+
		"To adopt it and overwrite its values with the configured ones, set adopt_existing = true.", shellWord(id))
}

var plainWord = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// shellWord quotes a text for a POSIX shell if it needs quotes.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// incompleteWrite is the error of changing a region without all of its required fields.
func incompleteWrite(summary string, partial opsmanager.DeploymentRegion) diag.Diagnostic {
	missing, attribute := requiredFields.Missing(partial), "assignment_enabled"
	if len(missing) < len(requiredFields) {
		attribute = missing[0]
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary,
		fmt.Sprintf("A change must send the whole region, and Ops Manager did not return its %[1]s. "+
			"Nothing was changed. Configure %[1]s as well, or do not change the region.", strings.Join(missing, ", ")))
}

// writeFailure is the error of a failed creation or replacement.
func writeFailure(summary string, err error) diag.Diagnostic {
	if opsmanager.IsUnsupported(err) {
		return unableToWrite(summary, err)
	}
	return diagnostics.Failure(summary, err, regionCodes)
}

// deletedSettings describes a region that is deleted, so that it can be created again. live is nil if
// Ops Manager did not return the region before.
func deletedSettings(prior opsmanager.DeploymentRegion, live *opsmanager.DeploymentRegion) string {
	region, text := prior, "Ops Manager did not return the region before the deletion. These were its settings in the Terraform state"
	if live != nil {
		region, text = regionFields.Complete(*live, prior), "These were its settings"
	}
	text += ". To create the region again, use:\n\n" + wholeobject.Block("opsmanager_deployment_region", deploymentID, prior.ID, regionFields, region)
	if missing := requiredFields.Missing(region); len(missing) > 0 {
		text += "\n\nThese are required too, but unknown: " + strings.Join(missing, ", ") + "."
	}
	if live != nil && live.Unknown.String() != "" {
		text += "\n\nIt also had settings that the provider does not know: " + opsmanager.Sanitize(live.Unknown.String()) + "."
	}
	return text
}

// deletionFailure is the error of a failed deletion. Ops Manager documents neither a
// status nor a code for a region in use.
func deletionFailure(summary string, err error) diag.Diagnostic {
	d := diagnostics.Failure(summary, err)
	var e *opsmanager.Error
	if !errors.As(err, &e) || e.Code != "" && diagnostics.AdviceFor(e) != "" || diagnostics.IsNotAPI(e) {
		return d
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity:
	default:
		return d
	}
	return diag.NewErrorDiagnostic(summary, d.Detail()+"\n\n"+
		"Ops Manager deletes a region only if nothing is bound to it. In the administration console, unbind the snapshot stores, oplog stores, sync stores and daemons of this region, "+
		"and release the clusters that are assigned to it by stopping and terminating their backup. Then destroy again. "+
		"To only remove the region from the Terraform state, set skip_destroy = true and apply that first.")
}
