import type { ManifestParser } from '../../puppet/compiler/manifest-parser.ts';
import { Closure } from '../../puppet/evaluator/closure.ts';
import { ReturnSignal } from '../../puppet/evaluator/control-flow.ts';
import type { Scope } from '../../puppet/evaluator/scope.ts';
import type { Expression, Parameter } from '../../puppet/language/ast.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import { inspectRuby } from '../../puppet/types/format/ruby-text.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { BoltError, PlanCodeError } from './bolt-error.ts';
import type { PlanRun } from './plan-run.ts';
import { createCodeReader, type YamlCode } from './yaml-code.ts';
import { readSteps, type YamlStep } from './yaml-steps.ts';
import { readYamlTree } from './yaml-tree.ts';

/** A plan that can be called. */
export interface CallablePlan {
  readonly name: string;
  /** The texts of the types of its parameters, `Any` without one, by name. */
  readonly parameterTypes: ReadonlyMap<string, string>;
  /** Runs it. Its result is the value of a ReturnSignal. */
  call(params: ReadonlyMap<string, Value>): void;
}

const KEYS = ['parameters', 'private', 'steps', 'return', 'version', 'description'];
const PARAMETER_KEYS = ['type', 'default', 'description'];

interface YamlParameter {
  readonly name: string;
  readonly type: string | null;
  readonly defaultValue: Value;
}

/** Reads a plan in YAML. Throws PuppetError. Follows lib/bolt/pal/yaml_plan.rb. */
export function loadYamlPlan(
  run: PlanRun,
  parser: ManifestParser,
  name: string,
  text: string,
  file: string,
): CallablePlan {
  const fail = (message: string): never => {
    throw new BoltError(message, 'bolt/invalid-plan', { file });
  };
  const tree = readYamlTree(text, file);
  if (!(tree instanceof Map)) throw new PlanCodeError(`The data loaded from ${file} does not contain an object`);
  const unknown = [...tree.keys()].filter((key) => !KEYS.includes(key));
  const parameters = readParameters(tree.get('parameters'), fail);
  if (unknown.length > 0) fail(`Plan contains illegal key(s) ${inspectRuby(unknown)}`);
  const reader = createCodeReader(run.context.evaluator, parser, file);
  const steps = readSteps(tree.get('steps'), parameters.map((one) => one.name), reader, fail); // biome-ignore format: short
  const ended = tree.get('return') ?? null;
  const closure = (scope: Scope) => runSteps(scope, steps, () => reader.evaluate(ended, scope));
  return {
    name,
    parameterTypes: new Map(parameters.map((one) => [one.name, one.type ?? 'Any'] as const)),
    call: (params) => callWith(run, name, parameters, params, closure),
  };
}

function readParameters(given: YamlCode | undefined, fail: (message: string) => never): readonly YamlParameter[] {
  if (given === undefined) return [];
  if (!(given instanceof Map)) return fail('Plan parameters must be a Hash');
  return Array.from(given, ([name, definition]) => {
    if (!/^[a-z_][a-z0-9_]*$/.test(name)) fail(`Invalid parameter name ${inspectRuby(name)}`);
    const described = definition instanceof Map ? definition : new Map<string, YamlCode>();
    const unknown = [...described.keys()].filter((key) => !PARAMETER_KEYS.includes(key));
    if (unknown.length > 0) {
      fail(`Plan parameter ${inspectRuby(name)} contains illegal key(s) ${inspectRuby(unknown)}`);
    }
    const type = plainOf(described.get('type') ?? null);
    return {
      name,
      type: typeof type === 'string' ? type : null,
      defaultValue: plainOf(described.get('default') ?? null),
    };
  });
}

/** The value of a part of the tree, with code as its text. */
function plainOf(code: YamlCode): Value {
  if (Array.isArray(code)) return code.map(plainOf);
  if (code instanceof Map) return PuppetHash.of(Array.from(code, ([key, one]) => [key, plainOf(one)] as const));
  if (typeof code === 'object' && code !== null && 'style' in code) return code.text;
  return code as Value;
}

/** Checks parameters as a plan in Puppet's language does, then runs `body`. */
function callWith(
  run: PlanRun,
  name: string,
  parameters: readonly YamlParameter[],
  params: ReadonlyMap<string, Value>,
  body: (scope: Scope) => void,
): void {
  const { evaluator, topScope } = run.context;
  const given = new Map(params);
  for (const one of parameters) {
    if ((given.get(one.name) ?? null) === null && one.defaultValue !== null) given.set(one.name, one.defaultValue);
  }
  const { locator, offset } = parseProgram("'yaml'", { file: null }).body ?? failInvariant();
  const place = { locator, offset, length: 0 };
  const model = {
    parameters: parameters.map((one): Parameter => {
      const typeExpr = one.type === null ? null : parseProgram(one.type, { file: null }).body;
      const value: Expression | null = one.defaultValue === null ? null : { kind: 'LiteralUndef', ...place };
      return { kind: 'Parameter', name: one.name, typeExpr, value, capturesRest: false, ...place };
    }),
    body: { kind: 'LiteralUndef', ...place } as const,
  };
  const closure = new Closure({ ...bind(evaluator), evaluate: (node, scope) => evaluateBody(node, scope) }, model, topScope, name); // biome-ignore format: short

  function evaluateBody(node: Expression, scope: Scope): Value {
    if (node !== model.body) return evaluator.evaluate(node, scope);
    body(scope);
    return null;
  }
  closure.callByName(given, true);
}

function bind(evaluator: PlanRun['context']['evaluator']) {
  return {
    stack: evaluator.stack,
    callFunction: evaluator.callFunction.bind(evaluator),
    createClosure: evaluator.createClosure.bind(evaluator),
  };
}

function failInvariant(): never {
  throw new Error('invariant: the text is an expression');
}

function runSteps(scope: Scope, steps: readonly YamlStep[], evaluateReturn: () => Value): void {
  for (const step of steps) {
    const value = step.run(scope);
    if (step.name !== null) scope.setVariable(step.name, value);
  }
  throw new ReturnSignal(evaluateReturn(), {});
}
