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
//   - saw: the plan compared its configuration with it.
//   - wanted: an apply tries to reach it, with the planned values that are known.
//   - left: the wanted values that the live object does not have yet.
//   - sent, or whole for a PUT: a request has it.
//   - returned: the responses since the request have it.
//   - now: what is known of the object afterwards: what was returned and, where that says nothing, what was sent or saw.
//   - known: what responses have said before, such as which fields Ops Manager returns.
//   - adopted: the object existed before the resource, which took it over.
package tfmodel
