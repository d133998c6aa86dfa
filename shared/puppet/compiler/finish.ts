import { listUnknownToAgent } from '../catalog/agent-support.ts';
import type { ParameterSetting } from '../catalog/resource.ts';
import { ResourceTable } from '../catalog/resource-table.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import { Sensitive, type Value } from '../types/values/values.ts';
import type { CompileState } from './compile-state.ts';
import type { DeclaredResource } from './declared-resource.ts';
import { validateUnitParameters } from './parameter-validation.ts';
import { parseReference, referenceOf, referenceText } from './references.ts';
import { type Additions, evaluateRelationships } from './relationship.ts';
import { mergeOverride } from './resource-override.ts';
import { hasAttribute, METAPARAMETERS, RELATIONSHIP_METAPARAMETERS } from './resource-types/builtin-types.ts';

/**
 * Completes the catalog after evaluation. Puppet: Compiler#finish, #fail_on_unevaluated,
 * RelationshipValidator
 */
export function finish(state: CompileState): void {
  const additions = evaluateRelationships(state);
  for (const resource of state.resources) {
    if (state.pendingOverrides.size > 0) mergePending(state, resource);
    finishResource(state, resource);
  }
  spreadMetaparameters(state);
  failOnUnevaluated(state);
  validateRelationships(state, additions);
  checkAliases(state);
  warnOfUnknownToAgent(state);
}

function mergePending(state: CompileState, resource: DeclaredResource): void {
  const { reference } = resource;
  for (const override of state.pendingOverrides.get(reference) ?? []) mergeOverride(state, resource, override);
  state.pendingOverrides.delete(reference);
}

function finishResource(state: CompileState, resource: DeclaredResource): void {
  if (resource.finished) return;
  resource.finished = true;
  resource.inheritTags();
  unwrapSensitive(resource);
  validateResource(state, resource);
}

function unwrapSensitive(resource: DeclaredResource): void {
  const { parameters, sensitiveParameters } = resource;
  for (const parameter of parameters.all) {
    if (!(parameter.value instanceof Sensitive)) continue;
    sensitiveParameters.push(parameter.name);
    parameters.set({ ...parameter, value: parameter.value.unwrap() });
  }
}

function validateResource(state: CompileState, resource: DeclaredResource): void {
  const { nativeType, codeUnit } = resource;
  if (nativeType) {
    for (const { name } of resource.parameters.all) {
      if (hasAttribute(nativeType, name)) continue;
      throw unknownParameter(resource, name);
    }
  } else if (codeUnit && !resource.isValidated) {
    const sensitive = new Set(resource.sensitiveParameters);
    const values = new Map<string, Value>();
    for (const { name, value } of resource.parameters.all) {
      values.set(name, sensitive.has(name) ? new Sensitive(value) : value);
    }
    validateUnitParameters(state.context, resource.reference, codeUnit, values);
  }
}

// Puppet: the location appears twice, inside the message and at its end.
function unknownParameter(resource: DeclaredResource, name: string): PuppetError {
  const place = { file: resource.file || undefined, line: resource.line };
  const inner = new PuppetError(ISSUES.NO_PARAMETER_NAMED({ name }), place);
  return new PuppetError(ISSUES.FAILURE_ON_RESOURCE({ message: inner.message, reference: resource.reference }), place);
}

/** Passes metaparameters and tags on to all resources below Class[main]. */
function spreadMetaparameters(state: CompileState): void {
  const main = state.catalog.find('Class', 'main');
  if (!main || state.catalog.targetsOf(main).length === 0) return;
  const names = METAPARAMETERS.filter((name) => !RELATIONSHIP_METAPARAMETERS.has(name));
  const queue = [main];
  const seen = new Set<DeclaredResource>();
  for (const resource of queue) {
    if (seen.has(resource)) continue;
    seen.add(resource);
    const given = names.filter((name) => (resource.valueOf(name) ?? null) !== null);
    for (const target of state.catalog.targetsOf(resource)) {
      for (const name of given) inherit(resource, target, name);
      target.tags.merge(resource.tags);
      if (state.catalog.targetsOf(target).length > 0) queue.push(target);
    }
  }
}

function inherit(from: DeclaredResource, to: DeclaredResource, name: string): void {
  const value = from.valueOf(name) ?? null;
  if (value !== null && (to.valueOf(name) ?? null) === null) to.setValue(name, value);
}

// Puppet: the complete catalog is copied, and the copy detects aliases from overrides
// (Catalog#to_catalog).
function checkAliases({ catalog }: CompileState): void {
  const real = catalog.resources.filter((resource) => !resource.virtual || resource.exported);
  if (!real.some((resource) => resource.parameters.has('alias'))) return;
  const copy = new ResourceTable<DeclaredResource>();
  for (const resource of real) copy.add(resource, null);
}

// Differs from Puppet: nobody warns of what only the agent finds out.
function warnOfUnknownToAgent({ context, catalog }: CompileState): void {
  const readFact = (name: string) => context.node.facts.get(name);
  for (const resource of catalog.resources) {
    const { type, title, virtual, file, line } = resource;
    if (virtual) continue;
    const read = (name: string) => resource.valueOf(name);
    for (const message of listUnknownToAgent({ type, title, read }, readFact)) {
      context.log.add({ level: 'warning', message, file: file || undefined, line });
    }
  }
}

function failOnUnevaluated(state: CompileState): void {
  const overrides = [...state.pendingOverrides.values()].flat();
  if (overrides.length > 0) {
    const references = overrides.map(({ reference }) => reference).join(', ');
    throw new PuppetError(ISSUES.RESOURCES_TO_OVERRIDE_NOT_FOUND({ references }));
  }
  const unresolved = [...state.collectors].flatMap((collector) => collector.getUnresolved());
  if (unresolved.length > 0)
    throw new PuppetError(ISSUES.VIRTUAL_RESOURCES_NOT_REALIZED({ references: unresolved.join(', ') }));
}

function validateRelationships(state: CompileState, additions: Additions): void {
  for (const resource of state.catalog.resources) {
    if (resource.virtual) continue;
    for (const parameter of resource.parameters.all) {
      if (!RELATIONSHIP_METAPARAMETERS.has(parameter.name) || isAddedAlone(parameter.value, additions)) continue;
      const isSensitive = resource.sensitiveParameters.includes(parameter.name);
      forEachFlat(parameter.value, (item) => {
        requireExisting(state, parameter, item, isSensitive);
      });
    }
  }
}

/** Whether relationships created the whole list. Their targets were already checked. */
function isAddedAlone(value: Value, additions: Additions): boolean {
  return Array.isArray(value) && additions.get(value) === value;
}

function requireExisting(
  state: CompileState,
  { name, file, line }: ParameterSetting,
  value: Value,
  isSensitive: boolean,
): void {
  const reference = referenceOf(value);
  if (reference && reference.title !== '' && state.find(reference.type, reference.title)) return;
  const text = referenceText(value) ?? rubyToS(value);
  // Differs from Puppet: Puppet prints the content of a sensitive parameter.
  const shown = isSensitive ? rubyToS(new Sensitive(value)) : text;
  const place = { file: file || undefined, line };
  const { type, title } = parseReference(text, place, shown);
  if (state.find(type, title)) return;
  throw new PuppetError(ISSUES.RESOURCE_IN_PARAMETER_NOT_FOUND({ resource: shown, parameter: name }), place);
}

/** Calls `visit` with the value; arrays are flattened and undef is skipped. */
function forEachFlat(value: Value, visit: (item: Value) => void): void {
  if (Array.isArray(value)) for (const item of value) forEachFlat(item, visit);
  else if (value !== null) visit(value);
}
