import { classTitle, definitionName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { isFatalRubyError, rubyClassBehind } from '../errors/ruby-error.ts';
import { BreakSignal, Jump, NextSignal, ReturnSignal, STOP_ITERATION } from '../evaluator/control-flow.ts';
import { evaluationError } from '../evaluator/report.ts';
import type { Scope } from '../evaluator/scope.ts';
import type { Expression } from '../language/ast.ts';
import { displayString } from '../types/format/string-converter.ts';
import type { Value } from '../types/values/values.ts';
import type { CodeUnit } from './code-unit.ts';
import type { CompileState } from './compile-state.ts';
import { DeclaredResource, resourceOf } from './declared-resource.ts';
import { referenceText } from './references.ts';
import { setUnitParameters } from './unit-parameters.ts';

const MAXIMUM_LOOPS = 1000;

/**
 * Evaluates the code of a class, node or define resource in a new scope; later calls do nothing.
 */
export function evaluateResource(state: CompileState, resource: DeclaredResource): void {
  if (resource.evaluated) return;
  resource.evaluated = true;
  const unit = resource.codeUnit;
  if (!unit) throw new PuppetError(ISSUES.DEFINITION_NOT_FOUND({ type: resource.type }));
  resource.inheritTags();
  evaluateUnit(state, unit, resource);
}

/** Evaluates a unit's code for its resource, in a new scope. */
export function evaluateUnit(state: CompileState, unit: CodeUnit, resource: DeclaredResource): void {
  const outer = parentScope(state, unit) ?? resource.scope;
  const scope = outer.newScope({ kind: unit.kind, source: unit, resource, inherits: unit.parentName });
  if (unit.kind !== 'define') state.addClass(unit);
  setUnitParameters(state, unit, resource, scope);
  addEdgeToStage(state, resource);
  const { body } = unit;
  if (!body) return;
  const match = unit.kind === 'node' ? state.definitions.nodeMatch(unit) : null;
  if (match) scope.pushMatch(match);
  evaluateBody(state, unit, body, scope);
}

/**
 * Evaluates a body. `return` and `next` end a class or define; in a node's body they are errors.
 */
function evaluateBody(state: CompileState, unit: CodeUnit, body: Expression, scope: Scope): Value {
  try {
    return state.context.evaluator.evaluate(body, scope);
  } catch (error) {
    const ends = unit.kind !== 'node' && (error instanceof ReturnSignal || error instanceof NextSignal);
    if (ends) return error.value;
    throw unit.kind === 'node' && error instanceof BreakSignal ? new PuppetError(STOP_ITERATION) : error;
  }
}

/** Returns the scope of the inherited class; evaluates the class first if necessary. */
function parentScope(state: CompileState, unit: CodeUnit): Scope | null {
  const parent = unit.getParent();
  if (!parent) return null;
  const resource = state.catalog.find('Class', classTitle(parent.name));
  if (!resource) return null;
  evaluateResource(state, resource);
  const scope = resource.scope.classScope(parent.name);
  // The inherited class is still being evaluated: it declared its own subclass before it had a
  // scope.
  if (!scope) throw new PuppetError(ISSUES.PARENT_SCOPE_NOT_FOUND({ name: parent.name }));
  return scope;
}

// Puppet: a Ruby ArgumentError; only a surrounding statement adds a location.
class StageNotFound extends PuppetError {}

/**
 * Adds the containment edge from a class to its stage: its own `stage`, else the stage of its
 * container, else main.
 */
export function addEdgeToStage(state: CompileState, resource: DeclaredResource): void {
  if (!resource.isClass) return;
  const own = resource.valueOf('stage') ?? null;
  const wanted = own ?? resourceOf(resource.scope)?.valueOf('stage') ?? null;
  const stage = state.catalog.find('Stage', wanted === null ? 'main' : String(wanted));
  if (!stage) {
    const name = own === null ? 'main' : (referenceText(own) ?? displayString(own));
    throw new StageNotFound(`Could not find stage ${name} specified by ${resource.reference}`);
  }
  if (own === null && stage.title !== 'main') resource.setValue('stage', stage.title);
  state.catalog.addEdge(stage, resource);
}

/**
 * Adds the resource of a class or node to the catalog unless it exists. With `parameters`, an
 * existing resource is an error.
 */
export function ensureInCatalog(
  state: CompileState,
  unit: CodeUnit,
  scope: Scope,
  parameters: ReadonlyMap<string, Value> | null = null,
): DeclaredResource {
  const type = unit.kind === 'node' ? 'Node' : 'Class';
  const title = unit.kind === 'node' ? unit.name : classTitle(unit.name);
  const existing = parameters ? undefined : state.catalog.find(type, title);
  if (existing) return existing;
  const code = unit.kind === 'node' ? state.definitions.nodes.findByTitle(title) : unit;
  const resource = new DeclaredResource({
    type,
    title,
    kind: 'unknown',
    implementation: code && { kind: 'unit', unit: code },
    scope,
    unit,
  });
  for (const [name, value] of parameters ?? []) resource.setValue(name, value);
  state.defaults.apply(resource);
  prepareUnit(state, unit, scope, resource);
  state.declare(scope, resource);
  return resource;
}

/** Declares the inherited class first, and adds the tags of classes and nodes to the catalog. */
export function prepareUnit(state: CompileState, unit: CodeUnit, scope: Scope, resource: DeclaredResource): void {
  const parent = unit.getParent();
  if (parent && !state.catalog.find('Class', classTitle(parent.name))) ensureInCatalog(state, parent, scope);
  if (unit.kind !== 'define') state.catalog.tags.merge(resource.tags);
}

/** Returns the classes of those names; throws Puppet's error for the first that does not exist. */
export function findClasses(state: CompileState, names: readonly string[]): CodeUnit[] {
  return names.map((name) => {
    const unit = state.definitions.findUnit('class', definitionName(name));
    if (!unit) throw new PuppetError(ISSUES.CLASS_NOT_FOUND({ name, node: state.context.node.certname }));
    return unit;
  });
}

/**
 * Declares classes that are not declared yet, and evaluates them unless `lazy`. Returns the
 * resources of all classes: first those evaluated before, then the new ones.
 */
export function evaluateClasses(
  state: CompileState,
  units: readonly CodeUnit[],
  scope: Scope,
  lazy = false,
): DeclaredResource[] {
  const before: DeclaredResource[] = [];
  const added: DeclaredResource[] = [];
  for (const unit of units) {
    const classScope = scope.classScope(unit.name);
    const resource = classScope && resourceOf(classScope);
    if (resource) before.push(resource);
    else added.push(ensureInCatalog(state, unit, scope));
  }
  if (!lazy) for (const resource of added) evaluateResource(state, resource);
  return [...before, ...added];
}

/**
 * Alternates between collectors and unevaluated resources until neither has anything left to do.
 */
export function evaluateGenerators(state: CompileState): void {
  for (let count = 0; count <= MAXIMUM_LOOPS; count += 1) {
    const collected = evaluateCollectors(state);
    const defined = evaluateDefinitions(state);
    if (!collected && !defined) return;
  }
  throw new PuppetError(ISSUES.ENDLESS_EVALUATION());
}

function evaluateCollectors(state: CompileState): boolean {
  let found = false;
  for (const collector of [...state.collectors]) if (collector.evaluate(state)) found = true;
  return found;
}

function evaluateDefinitions(state: CompileState): boolean {
  const unevaluated = state.listUnevaluated();
  for (const resource of unevaluated) evaluateLate(state, resource);
  return unevaluated.length > 0;
}

// Puppet: an error below a lazily evaluated resource is reported again at the resource's location
// (Compiler#evaluate_definitions). A Ruby exception, as that of a backend of Hiera that fails for a
// class of the node, ends the compile with its class and without a place.
function evaluateLate(state: CompileState, resource: DeclaredResource): void {
  try {
    evaluateResource(state, resource);
  } catch (error) {
    const cause = error instanceof Jump ? error.toIllegalJumpError() : error;
    if (!(cause instanceof PuppetError)) throw error;
    if (isFatalRubyError(cause)) throw cause;
    if (cause instanceof StageNotFound || cause instanceof RubyFault) {
      const rubyClass = rubyClassBehind(cause) ?? 'ArgumentError';
      throw new PuppetError(ISSUES.COMPILER_FAILED({ rubyClass, detail: cause.message }), { cause });
    }
    const isBreak = error instanceof BreakSignal;
    const place = isBreak ? error.at : { file: resource.file || undefined, line: resource.line };
    const detail = isBreak ? cause.basic : cause.message;
    const semantic = isBreak ? 'Object' : 'Resource Statement';
    throw evaluationError(ISSUES.RUNTIME_ERROR({ semantic, detail }), place, cause);
  }
}
