import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
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
 * Gives the scope of a class, define or node its variables: module names, title, name, and the
 * parameters from the declaration, the data (classes only), or the default expressions, checked
 * against their types. Puppet: Puppet::Resource::Type#set_resource_parameters
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

/** Automatic parameter lookup. A value of undef gives way to a default expression. */
function lookUpParameters(state: CompileState, unit: CodeUnit, resource: DeclaredResource, scope: Scope): void {
  for (const parameter of unit.parameters) {
    if (isGiven(resource, parameter.name)) continue;
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
 * All parameters that have a value, in order: those of the definition first, then others
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
      const value = forbidBreak(unit, () => evaluateDefault(state, parameter, defaultValue, scope, frame));
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
    // Puppet: errors of Ruby's own get the place of the expression (AST#safeevaluate), those of
    // Puppet none.
    const { file, line } = fault?.startsWith('Use of ') ? {} : locationOf(expression);
    if (fault !== null) throw new PuppetError(fault, { file, line });
    return parameterValue(value);
  } finally {
    scope.restore(before);
  }
}

// Puppet: `break` is an error of Ruby's here, told with the place of the definition
// (Puppet::Util::Errors#exceptwrap).
function forbidBreak(unit: CodeUnit, evaluate: () => Value): Value {
  try {
    return evaluate();
  } catch (error) {
    if (!(error instanceof BreakSignal)) throw error;
    const { file, line } = unit.definition ? locationOf(unit.definition) : {};
    const told = new PuppetError(ISSUES.RESOURCE_TYPE_FAILED({ detail: STOP_ITERATION }), {
      file,
      line,
    });
    throw new PuppetError(told.message);
  }
}

function isGiven(resource: DeclaredResource, name: string): boolean {
  const value = resource.parameters.get(name)?.value;
  return value !== undefined && value !== null;
}
