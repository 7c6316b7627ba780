package regions_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/provider/providertest"
)

// registrations are the resources of this package, each in the configurations that
// it can have.
func registrations() []providertest.Registration { return regionRegistrations() }

func TestAFieldMayBeAnythingInAnAnswer(t *testing.T) {
	t.Parallel()
	providertest.CheckMangledFields(t, registrations())
}

func TestAFieldThatIsAdjustedIsReported(t *testing.T) {
	t.Parallel()
	providertest.CheckAdjustedFields(t, registrations())
}

func TestAFieldThatChangesAlongIsTold(t *testing.T) {
	t.Parallel()
	providertest.CheckCoupledFields(t, registrations())
}

func TestAServiceThatLagsIsWaitedFor(t *testing.T) {
	t.Parallel()
	providertest.CheckStaleReads(t, registrations())
}

func TestAnotherObjectsAnswerIsNotTakenForThisOne(t *testing.T) {
	t.Parallel()
	providertest.CheckOtherObjects(t, registrations())
}

func TestAnImportedObjectPlansWhatIsLeft(t *testing.T) {
	t.Parallel()
	providertest.CheckImport(t, registrations())
}

func TestAnIDThatNamesNothingIsNotImported(t *testing.T) {
	t.Parallel()
	providertest.CheckInvalidImportIDs(t, registrations())
}

func TestARenamedAddressKeepsItsObject(t *testing.T) {
	t.Parallel()
	providertest.CheckRenamedAddress(t, registrations())
}

func TestTwoResourcesForOneObjectPlanWhatTheOtherOneLeft(t *testing.T) {
	t.Parallel()
	providertest.CheckDuplicateResources(t, registrations())
}

func TestAStateThatAnOlderVersionWroteIsTakenOver(t *testing.T) {
	t.Parallel()
	providertest.CheckOlderStates(t, registrations())
}

func TestProviderSettingsThatAreKnownLateChangeNothingElse(t *testing.T) {
	t.Parallel()
	providertest.CheckLateProviderSettings(t, registrations())
}

func TestIDsThatAreKnownLateLoseNoObject(t *testing.T) {
	t.Parallel()
	providertest.CheckLateIDs(t, registrations())
}

func TestAnIgnoredAttributeStaysAsItWasClicked(t *testing.T) {
	t.Parallel()
	providertest.CheckIgnoreChanges(t, registrations())
}

func TestIgnoringAllAttributesPlansNothing(t *testing.T) {
	t.Parallel()
	providertest.CheckIgnoreAllChanges(t, registrations())
}

func TestASavedPlanLeavesAloneWhatItDoesNotShow(t *testing.T) {
	t.Parallel()
	providertest.CheckSavedPlan(t, registrations())
}

func TestEachFieldMayChangeBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	providertest.CheckDriftAfterPlan(t, registrations())
}

func TestAPlanWithoutARefreshLeavesAloneWhatItDoesNotShow(t *testing.T) {
	t.Parallel()
	providertest.CheckPlanWithoutRefresh(t, registrations())
}

func TestDriftIsPlannedAndUndone(t *testing.T) {
	t.Parallel()
	providertest.CheckDrift(t, registrations())
}

func TestEachChangeIsAppliedAndTakenBack(t *testing.T) {
	t.Parallel()
	providertest.CheckChanges(t, registrations())
}

func TestAnObjectThatGoesBetweenPlanAndApplyIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	providertest.CheckRemovalAfterPlan(t, registrations())
}

func TestAValueThatIsKnownLateIsAppliedOrRefused(t *testing.T) {
	t.Parallel()
	providertest.CheckLateValues(t, registrations())
}

func TestTheFirstPlanSaysWhatItOverwrites(t *testing.T) {
	t.Parallel()
	providertest.CheckPreview(t, registrations())
}

func TestAnotherIDReplacesAsThePlanSays(t *testing.T) {
	t.Parallel()
	providertest.CheckReplacement(t, registrations())
}

func TestAReplacementThatCannotSucceedDestroysNothing(t *testing.T) {
	t.Parallel()
	providertest.CheckImpossibleReplacement(t, registrations())
}

func TestAReplacementWithoutAChangeKeepsOrReportsTheObject(t *testing.T) {
	t.Parallel()
	providertest.CheckForcedReplacement(t, registrations())
}

func TestADestroyDoesWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	providertest.CheckDestroy(t, registrations())
}

func TestAnObjectThatIsGoneIsDestroyedWithoutAnError(t *testing.T) {
	t.Parallel()
	providertest.CheckDestroyOfNothing(t, registrations())
}

func TestAFailedRequestIsMadeUpForByTheNextApply(t *testing.T) {
	t.Parallel()
	providertest.CheckFailedRequests(t, registrations())
}

func TestAnInterruptedRequestIsMadeUpForByTheNextApply(t *testing.T) {
	t.Parallel()
	providertest.CheckInterruptedRequests(t, registrations())
}

func TestAPlanThatCannotLookIsRefused(t *testing.T) {
	t.Parallel()
	providertest.CheckBlindPlan(t, registrations())
}

func TestTerraformHoldsTheLawsOfEveryResource(t *testing.T) {
	t.Parallel()
	providertest.CheckTerraform(t, registrations())
}
