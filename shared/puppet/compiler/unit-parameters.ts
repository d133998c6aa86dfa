import { ISSUES } from '../errors/issues/catalogue.ts';
import { PreformattedError, PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import { isFatalRubyError } from '../errors/ruby-error.ts';
import { BreakSignal, STOP_ITERATION } from '../evaluator/control-flow.ts';
import { parameterValue } from '../evaluator/parameter-value.ts';
import { locationOf } from '../evaluator/report.ts';
import { whatNoParameterHolds } from '../evaluator/resources.ts';
import type { Scope } from '../evaluator/scope.ts';
import type { Expression } from '../language/ast.ts';
import type { Value } from '../types/values/values.ts';
import type { CodeUnit, UnitParameter } from './code-unit.ts';
import type { CompileState } from './compile-state.ts';
import type { DeclaredResource } from './declared-resource.ts';
import { validateUnitParameters } from './parameter-validation.ts';

/**
 * Sets the variables in the scope of a class, define or node: module names, title, name, and
 * parameters. Parameters come from the declaration, the data (classes only) or the default
 * expressions, and are type-checked. Puppet: Puppet::Resource::Type#set_resource_parameters
 */
export function setUnitParameters(state: CompileState, unit: CodeUnit, resource: DeclaredResource, scope: Scope): void {
  setModuleNames(unit, resource, scope);
  if (unit.kind === 'class') lookUpParameters(state, unit, resource, scope);
  setNames(unit, resource, scope);
  if (unit.kind !== 'define') scope.setClassScope(unit.name, scope);
  const values = parameterValues(state, unit, resource, scope);
  validateUnitParameters(state.context, resource.reference, unit, values);
  if (!resource.parameters.has('title')) resource.markValidated();
  for (const [name, value] of values) scope.setVariable(name, value);
}

function setModuleNames(unit: CodeUnit, resource: DeclaredResource, scope: Scope): void {
  const moduleName = resource.valueOf('module_name') ?? unit.moduleName;
  if (moduleName !== null) scope.setVariable('module_name', moduleName);
  const caller = resource.valueOf('caller_module_name') ?? scope.parent?.source?.moduleName ?? null;
  if (caller !== null) scope.setVariable('caller_module_name', caller);
}

/** Automatic parameter lookup. The value undef falls back to the default expression. */
function lookUpParameters(state: CompileState, unit: CodeUnit, resource: DeclaredResource, scope: Scope): void {
  for (const parameter of unit.parameters) {
    if (isGiven(resource, parameter.name)) continue;
    state.context.inputs.site = parameter.declaredAt;
    const value = state.context.lookup.lookupClassParameter(scope, `${unit.name}::${parameter.name}`);
    if (value === undefined || (value === null && parameter.defaultValue)) continue;
    resource.setValue(parameter.name, value);
  }
}

function setNames(unit: CodeUnit, resource: DeclaredResource, scope: Scope): void {
  const name = resource.valueOf('name') ?? resource.givenTitle;
  const lower = unit.kind === 'class';
  scope.setVariable('title', lower ? resource.title.toLowerCase() : resource.givenTitle);
  scope.setVariable('name', lower && typeof name === 'string' ? name.toLowerCase() : name);
}

/**
 * Returns all parameters with a value, in order: those of the definition, then others
 * (metaparameters).
 */
function parameterValues(
  state: CompileState,
  unit: CodeUnit,
  resource: DeclaredResource,
  scope: Scope,
): ReadonlyMap<string, Value> {
  const names = unit.parameters.map(({ name }) => name);
  const before = scope.mark();
  const frame = scope.pushParameters(resource.reference, names);
  try {
    for (const { name, value } of resource.parameters.all)
      if (name !== 'name' && name !== 'title') frame.set(name, value);
    for (const parameter of unit.parameters) {
      const { defaultValue } = parameter;
      if (defaultValue === null || isGiven(resource, parameter.name)) continue;
      const value = atDefinition(unit, () => evaluateDefault(state, unit, parameter, defaultValue, scope, frame));
      resource.setValue(parameter.name, value);
      frame.set(parameter.name, value);
    }
    return frame.ownEntries();
  } finally {
    scope.restore(before);
  }
}

function evaluateDefault(
  state: CompileState,
  unit: CodeUnit,
  parameter: UnitParameter,
  expression: Expression,
  scope: Scope,
  frame: ReturnType<Scope['pushParameters']>,
): Value {
  const before = scope.mark();
  scope.pushMatch([]);
  try {
    const value = frame.evaluateDefault(parameter.name, () => state.context.evaluator.evaluate(expression, scope));
    const fault = whatNoParameterHolds(value);
    // Puppet: errors of Ruby's own get the place of the definition, those of Puppet none.
    if (fault !== null) throw new PuppetError(fault, fault.startsWith('Use of ') ? {} : placeOf(unit));
    return parameterValue(value);
  } finally {
    scope.restore(before);
  }
}

// Puppet: what comes without a place out of a default expression gets that of the definition.
// `break` is an error of Ruby's here (Puppet::Util::Errors#exceptwrap).
function atDefinition(unit: CodeUnit, evaluate: () => Value): Value {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof PreformattedError && !isFatalRubyError(error)) throw error.completedBy(placeOf(unit));
    if (!(error instanceof BreakSignal)) throw error;
    const failure = new PuppetError(ISSUES.RESOURCE_TYPE_FAILED({ detail: STOP_ITERATION }), placeOf(unit));
    throw new PuppetError(failure.message);
  }
}

function placeOf({ definition }: CodeUnit): SourceLocation {
  const { file, line } = definition ? locationOf(definition) : {};
  return { file, line };
}

function isGiven(resource: DeclaredResource, name: string): boolean {
  const value = resource.parameters.get(name)?.value;
  return value !== undefined && value !== null;
}
