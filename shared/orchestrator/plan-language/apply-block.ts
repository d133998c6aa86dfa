import { type CompileRequest, compile } from '../../puppet/compiler/compile.ts';
import { NO_RECORDER } from '../../puppet/environment/inputs.ts';
import type { Scope } from '../../puppet/evaluator/scope.ts';
import type { ApplyExpression, Node } from '../../puppet/language/ast.ts';
import { forEachChild } from '../../puppet/language/walk.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { readApplyResult } from './apply-results.ts';
import { BoltError, PlanCodeError } from './bolt-error.ts';
import { takeValues } from './functions/action-results.ts';
import { findOption, isOn } from './functions/plan-function.ts';
import type { PlainHash, PlanAction } from './plan-effects.ts';
import { ApplyResultValue, ResultSetValue, type TargetValue } from './plan-objects.ts';
import type { PlanRun } from './plan-run.ts';
import { packPlugins } from './plugin-archive.ts';

/** Code that is applied to targets. */
interface ApplyRequest {
  readonly targets: Value;
  readonly options: Value;
  readonly code: string;
  /** The variables that the code sees. */
  readonly variables: ReadonlyMap<string, Value>;
}

/** A catalog for a target, or why it has none. */
type Compiled = { readonly catalog: PlainHash } | { readonly error: PuppetHash };

interface Prepared {
  readonly targets: readonly TargetValue[];
  readonly compiled: readonly Compiled[];
  readonly catches: boolean;
}

/** Variables that Puppet sets itself. */
const RESERVED = new Set(['facts', 'trusted', 'server_facts', 'environment', 'settings', 'module_name']);

/** Evaluates `apply`. Follows lib/bolt/applicator.rb. */
export function evaluateApply(run: PlanRun, node: ApplyExpression, args: readonly Value[], scope: Scope): Value {
  const [targets, options = null] = args;
  if (targets === undefined) throw new PlanCodeError('apply requires a TargetSpec');
  const code = codeOf(node);
  if (code === null) throw new PlanCodeError('apply requires at least one statement in the apply block');
  if (!run.types.targetSpec.isInstance(targets)) throw new PlanCodeError('apply targets are no TargetSpec');
  return applyCode(run, { targets, options, code, variables: scope.variables().all() });
}

/** The text of the block, at the lines of its file; null for an empty one. */
function codeOf({ body, arguments: args, locator, offset, length }: ApplyExpression): string | null {
  if (body?.kind !== 'ApplyBlockExpression' || body.statements.length === 0) return null;
  const { source } = locator;
  const start = source.indexOf('{', Math.max(offset, ...args.map(endOf))) + 1;
  const end = source.lastIndexOf('}', offset + length);
  return `${'\n'.repeat(locator.lineAt(start) - 1)}${source.slice(start, end)}`;
}

function endOf(node: Node): number {
  let end = node.offset + node.length;
  forEachChild(node, (child) => {
    end = Math.max(end, endOf(child));
  });
  return end;
}

/** Compiles code for each target with its facts, and has the agents apply the catalogs. */
export function applyCode(run: PlanRun, request: ApplyRequest): ResultSetValue {
  return run.fibers.run<ResultSetValue, Prepared>(
    () => {
      const { options } = request;
      const targets = run.targetsOf(request.targets);
      const compiled = targets.map((target) => compileFor(run, target, request));
      const prepared = { targets, compiled, catches: isOn(findOption(options, '_catch_errors')) };
      const catalogs = targets.flatMap((target, index) => {
        const one = compiled[index];
        return one !== undefined && 'catalog' in one ? [[target.name, one.catalog] as const] : [];
      });
      if (catalogs.length === 0) return { done: conclude(run, prepared, new Map()) };
      const plugins = packPlugins(run.environment, JSON.stringify(catalogs));
      const common = { plugins, apply_settings: {}, bolt_builtin_content: [] };
      const description = findOption(options, '_description');
      const action: PlanAction = {
        kind: 'apply',
        targets: catalogs.map(([name]) => name),
        description: typeof description === 'string' ? description : 'apply catalog',
        task: null,
        params: {},
        paramsByTarget: Object.fromEntries(catalogs.map(([name, catalog]) => [name, { ...common, catalog }] as const)),
        noop: run.noop || isOn(findOption(options, '_noop')),
      };
      return { effect: { kind: 'action', action }, prepared };
    },
    (outcome, prepared) => {
      const values = takeValues(outcome);
      const names = prepared.targets.flatMap((target, index) => {
        const one = prepared.compiled[index];
        return one !== undefined && 'catalog' in one ? [target.name] : [];
      });
      return conclude(run, prepared, new Map(names.map((name, index) => [name, values[index] ?? {}] as const)));
    },
  );
}

function conclude(
  run: PlanRun,
  { targets, compiled, catches }: Prepared,
  values: ReadonlyMap<string, PlainHash>,
): ResultSetValue {
  const results = targets.map((target, index) => {
    const one = compiled[index];
    if (one === undefined || 'error' in one) {
      const error = one?.error ?? new PuppetHash();
      return new ApplyResultValue(run.types, target, PuppetHash.of([['_error', error]]), null);
    }
    return readApplyResult(run.types, target, values.get(target.name) ?? {}, one.catalog);
  });
  const set = new ResultSetValue(run.types, results);
  if (!set.isOk && !catches) throw createApplyFailure(set);
  return set;
}

// Bolt: lib/bolt/error.rb (ApplyFailure)
function createApplyFailure(set: ResultSetValue): BoltError {
  const messages = set.failed.map(({ error }) => {
    const msg = error instanceof Object && 'get' in error && typeof error.get === 'function' ? error.get('msg') : null;
    return String(msg ?? '');
  });
  const details = { action: 'apply', object: 'catalog', result_set: set };
  return new BoltError(messages.join('\n'), 'bolt/apply-failure', details);
}

function compileFor(run: PlanRun, target: TargetValue, { code, variables }: ApplyRequest): Compiled {
  const facts = run.inventory.get(target.name).facts.merge(PuppetHash.of([['bolt', true]]));
  const own = run.inventory.get(target.name).vars;
  const known = [...Array.from(own), ...variables];
  const fitting = known.filter(([key]) => !facts.has(key) && !RESERVED.has(String(key)) && !/^\d+$/.test(String(key)));
  const base = run.compileRequest;
  const request: CompileRequest = {
    ...base,
    node: {
      certname: target.name,
      environment: base.node.environment,
      facts: facts.merge(PuppetHash.of([['clientcert', target.name]])),
      trusted: PuppetHash.of([
        ['authenticated', 'local'],
        ['certname', target.name],
        ['extensions', new PuppetHash()],
        ['hostname', target.name.split('.')[0] ?? ''],
        ['domain', target.name.split('.').slice(1).join('.')],
      ]),
      serverFacts: null,
      parameters: PuppetHash.of(fitting),
      classes: [],
    },
    // Bolt: lib/bolt/catalog.rb, which is lenient.
    settings: { ...base.settings, tasks: false, strict: 'warning', strictVariables: false, storeconfigs: false },
    inputs: NO_RECORDER,
    exportsOf: () => [],
    code,
    ruby: run.beginRuby(),
  };
  const result = compile(request);
  run.beginRuby();
  if (result.status === 'ok') {
    const catalog: unknown = JSON.parse(result.catalog);
    // The code that it was compiled from, which reports of agents repeat.
    return { catalog: { ...(isJsonObject(catalog) ? catalog : {}), code_id: base.environment.codeId } };
  }
  const reason = result.status === 'failed' ? result.error.message : 'it needs data of the inventory';
  const msg = `Apply failed to compile for ${target.name}: ${reason}`;
  const error = PuppetHash.of([
    ['kind', 'bolt/apply-error'],
    ['msg', msg],
    ['details', new PuppetHash()],
  ]);
  return { error };
}
