import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { CodeUnit } from './code-unit.ts';
import type { CompileState } from './compile-state.ts';
import type { Compile } from './create-compile.ts';
import { DeclaredResource } from './declared-resource.ts';
import { finish } from './finish.ts';
import { settingsOf } from './settings.ts';
import { loadSiteManifest } from './site-manifest.ts';
import {
  addEdgeToStage,
  ensureInCatalog,
  evaluateClasses,
  evaluateGenerators,
  evaluateResource,
  evaluateUnit,
  findClasses,
} from './unit-evaluation.ts';
import { setUnitParameters } from './unit-parameters.ts';

/**
 * Runs all steps of a compile in Puppet's order. Returns the value of the site manifest's last
 * expression; undefined when there is none. Puppet: Compiler#initvars, #compile
 */
export function evaluateSite({ context, state, parser }: Compile, code: string | undefined): Value | undefined {
  for (const program of loadSiteManifest(context.environment, parser, code)) state.definitions.addSiteProgram(program);
  assertParameterNames(context.node.parameters);
  declareMainStage(state);
  for (const name of classNames(context.node.classes)) state.catalog.addClass(name);
  declareSettings(state);
  const lastValue = evaluateMain(state);
  const scope = evaluateNode(state);
  evaluateNodeClasses(state, scope);
  evaluateGenerators(state);
  finish(state);
  return lastValue;
}

/**
 * Checks the names of the classifier's parameters, which become variables of top scope as if
 * assigned there. Puppet: Compiler#set_node_parameters
 */
function assertParameterNames(parameters: PuppetHash): void {
  for (const key of parameters.keys()) {
    const name = String(key);
    if (/^[0-9]+$/.test(name)) throw new PuppetError(ISSUES.NUMERIC_VARIABLE_NOT_ASSIGNABLE({ name }));
    if (name === 'facts' || name === 'server_facts') throw new PuppetError(ISSUES.RESERVED_VARIABLE_NAME({ name }));
    if (name === 'module_name') throw new PuppetError(ISSUES.VARIABLE_ALREADY_ASSIGNED({ name }));
  }
}

function declareMainStage(state: CompileState): void {
  const { context, catalog } = state;
  const type = context.definitions.findResourceType('stage');
  if (!type) throw new PuppetError(ISSUES.RESOURCE_TYPE_UNKNOWN({ type: 'stage' }));
  const stage = new DeclaredResource({
    type: 'Stage',
    title: 'main',
    kind: 'compilable_type',
    implementation: { kind: 'type', type },
    scope: context.topScope,
    unit: null,
  });
  catalog.add(stage, stage.getIdentity());
}

/** Declares Class[settings], whose variables are the settings. */
function declareSettings(state: CompileState): void {
  const { context, catalog, definitions } = state;
  const unit = definitions.settingsUnit();
  const resource = new DeclaredResource({
    type: 'Class',
    title: 'Settings',
    kind: 'unknown',
    implementation: { kind: 'unit', unit },
    scope: context.topScope,
    unit: null,
  });
  catalog.add(resource, resource.getIdentity());
  resource.evaluated = true;
  evaluateUnit(state, unit, resource);
  context.topScope.setSettings(() => settingsOf(context));
}

/** Evaluates the code of the site manifest outside definitions. */
function evaluateMain(state: CompileState): Value | undefined {
  const { topScope, evaluator } = state.context;
  const unit = state.definitions.mainUnit;
  topScope.source = unit;
  const resource = new DeclaredResource({
    type: 'Class',
    title: 'main',
    kind: 'unknown',
    implementation: { kind: 'unit', unit },
    scope: topScope,
    unit,
  });
  topScope.resource = resource;
  state.declare(topScope, resource);
  resource.evaluated = true;
  setUnitParameters(state, unit, resource, topScope);
  addEdgeToStage(state, resource);
  let last: Value | undefined;
  for (const { body, locator } of state.definitions.programs) {
    last = body ? evaluator.stack.runProgram(locator.file, () => evaluator.evaluate(body, topScope)) : null;
  }
  return last;
}

/** Evaluates the matching node statement; returns its scope. */
function evaluateNode(state: CompileState): CompileState['context']['topScope'] {
  const { topScope, node } = state.context;
  const unit = state.definitions.nodes.select([node.certname]);
  if (!unit) return topScope;
  evaluateResource(state, ensureInCatalog(state, unit, topScope));
  return topScope.classScope(unit.name) ?? topScope;
}

function classNames(classes: readonly string[] | PuppetHash): readonly string[] {
  return classes instanceof PuppetHash ? [...classes.keys()].map(String) : classes;
}

/**
 * Declares the classes of the external node classifier. They are evaluated together with all other
 * lazily evaluated resources.
 */
function evaluateNodeClasses(state: CompileState, scope: CompileState['context']['topScope']): void {
  const { classes } = state.context.node;
  if (!(classes instanceof PuppetHash)) {
    evaluateClasses(state, findClasses(state, classes), scope, true);
    return;
  }
  const plain: string[] = [];
  const withParameters: (readonly [string, PuppetHash])[] = [];
  for (const [name, parameters] of classes) {
    if (parameters instanceof PuppetHash && parameters.size > 0) withParameters.push([String(name), parameters]);
    else plain.push(String(name));
  }
  const units = findClasses(
    state,
    withParameters.map(([name]) => name),
  );
  // Puppet: parameters are looked up by the class's own name, so 'Apache' and '::apache' get none.
  const byName = new Map(withParameters);
  for (const unit of units) declareWithParameters(state, unit, scope, byName.get(unit.name));
  evaluateClasses(state, findClasses(state, plain), scope, true);
}

function declareWithParameters(
  state: CompileState,
  unit: CodeUnit,
  scope: CompileState['context']['topScope'],
  parameters: PuppetHash | undefined,
): void {
  const values = new Map<string, Value>();
  for (const [name, value] of parameters ?? []) values.set(String(name), value);
  ensureInCatalog(state, unit, scope, values);
}
