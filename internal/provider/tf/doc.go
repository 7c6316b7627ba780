// Package tf has what speaks Terraform in each type, and never calls Ops Manager: models and the values of Terraform, the fields of
// an object, attributes of several schemas, imports, secrets, the private state, and diagnostics, which say of a failed call what
// to do next.
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
package tf
