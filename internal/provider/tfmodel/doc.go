// Package tfmodel converts between the values of Terraform, models, which are structs of them, and the
// objects of the API. It describes the fields of an object, compares objects, and reads and writes the
// private state.
//
// All resource types use the same words for the versions of an object:
//
//   - configured: the configuration has it. A value that is not configured is null.
//   - planned: the plan has it. It may be unknown.
//   - prior: the state has it, before a plan or an apply.
//   - live: Ops Manager returned it last.
//   - wanted: the object that an apply tries to reach, with the planned values that are known.
//   - changed: the planned values that differ from the prior or the live ones.
//   - sent: a request has it.
//   - settled: Ops Manager returns it once it agrees with the request, or at the end of the wait for
//     that.
//   - adopted: the object existed before the resource, which took it over.
package tfmodel
