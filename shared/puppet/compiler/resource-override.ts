import type { ParameterSetting } from '../catalog/resource.ts';
import { formatPlace } from '../catalog/resource-table.ts';
import { TagSet } from '../catalog/tags.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { locationSuffix, PuppetError } from '../errors/puppet-error.ts';
import type { Value } from '../types/values/values.ts';
import type { CodeUnit } from './code-unit.ts';
import type { CompileState } from './compile-state.ts';
import type { DeclaredResource } from './declared-resource.ts';

/**
 * An override `Type[title] { parameters }`, or the change that a collector with overrides makes to
 * a resource.
 */
export interface ResourceOverride {
  /** The resource to change: `Type[title]`. */
  readonly reference: string;
  readonly parameters: readonly ParameterSetting[];
  /** The class, node or define whose code overrides. */
  readonly unit: CodeUnit | null;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** Overrides the resource now, or at its later declaration. `type` is capitalised. */
export function addOverride(state: CompileState, type: string, title: string, override: ResourceOverride): void {
  assertNoneTwice(override);
  assertTags(override);
  const resource = state.find(type, title);
  if (resource) {
    mergeOverride(state, resource, override);
    return;
  }
  const pending = state.pendingOverrides.get(override.reference);
  if (pending) pending.push(override);
  else state.pendingOverrides.set(override.reference, [override]);
}

// Puppet: an override is a separate resource until it is merged, so each parameter may occur only
// once.
function assertNoneTwice({ parameters, reference }: ResourceOverride): void {
  const again = parameters.find(({ name }, index) => parameters.findIndex((one) => one.name === name) < index);
  if (!again) return;
  const { name, file, line } = again;
  throw new PuppetError(ISSUES.DUPLICATE_OVERRIDE_PARAMETER({ name, reference }), { file, line });
}

// Puppet: an override is tagged like any resource, although its tags are never visible.
function assertTags({ parameters, file, line }: ResourceOverride): void {
  for (const { name, value } of parameters) if (name === 'tag') new TagSet().add(value, { file, line });
}

/**
 * Throws when the overriding code is not allowed to override, or when the resource is already
 * evaluated. Puppet: Parser::Resource#merge
 */
export function mergeOverride(state: CompileState, resource: DeclaredResource, override: ResourceOverride): void {
  const { unit, file, line } = override;
  const allowed = unit === resource.unit || unit?.isChildOf(resource.unit);
  if (!allowed) throw new PuppetError(ISSUES.OVERRIDE_OUTSIDE_SUBCLASS(), { file, line });
  if (resource.evaluated) complainAboutEvaluated(state, resource, override);
  for (const parameter of override.parameters) overrideParameter(state, resource, parameter);
}

function complainAboutEvaluated(
  state: CompileState,
  resource: DeclaredResource,
  { file, line }: ResourceOverride,
): void {
  const { strict } = state.context.settings;
  if (strict === 'off') return;
  const place = formatPlace(resource).replace(/^ at/, ', defined at');
  const issue = ISSUES.OVERRIDE_OF_EVALUATED({ place: place === '' ? '' : `${place},` });
  if (strict === 'error') throw new PuppetError(issue, { file, line });
  state.warn(`${issue.text}${locationSuffix({ file, line })}`);
}

function overrideParameter(state: CompileState, resource: DeclaredResource, parameter: ParameterSetting): void {
  const current = resource.parameters.get(parameter.name);
  if (!current) {
    resource.set(parameter);
    return;
  }
  if (isDefault(state, resource, parameter.name, parameter.value)) return;
  if (!mayReplace(state, resource, current, parameter)) throw alreadySetError(resource, current, parameter);
  resource.set(parameter.append ? appendParameter(current, parameter) : parameter);
}

function mayReplace(
  state: CompileState,
  resource: DeclaredResource,
  current: ParameterSetting,
  parameter: ParameterSetting,
): boolean {
  if (parameter.unit?.isChildOf(current.unit)) return true;
  return parameter.unit === current.unit && isDefault(state, resource, current.name, current.value);
}

function isDefault(state: CompileState, resource: DeclaredResource, name: string, value: Value): boolean {
  return state.defaults.isDefault(resource.scope, resource.type, name, value);
}

function appendParameter(current: ParameterSetting, parameter: ParameterSetting): ParameterSetting {
  return { ...parameter, value: flatten([current.value, parameter.value]) };
}

function flatten(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}

// Puppet: the message shows the Ruby object with its address. Ours use zeros.
const OBJECT = '#<Puppet::Resource::Type:0x0000000000000000>';

function alreadySetError(
  resource: DeclaredResource,
  current: ParameterSetting,
  parameter: ParameterSetting,
): PuppetError {
  const by = current.unit ? ` by ${OBJECT}` : '';
  const issue = ISSUES.PARAMETER_ALREADY_SET({
    name: parameter.name,
    reference: resource.reference,
    setter: `${by}${formatPlace(current)}`,
  });
  return new PuppetError(issue, { file: parameter.file, line: parameter.line });
}
