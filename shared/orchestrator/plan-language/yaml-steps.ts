import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { Scope } from '../../puppet/evaluator/scope.ts';
import { inspectString } from '../../puppet/ruby-core/ruby-inspect.ts';
import { inspectRuby } from '../../puppet/types/format/ruby-text.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { type CodeReader, isCodeMap, isCodeText, type YamlCode } from './yaml-code.ts';

/** A step of a plan in YAML. */
export interface YamlStep {
  /** The variable that gets its value; null for none. */
  readonly name: string | null;
  run(scope: Scope): Value;
}

/** A function that only steps of plans in YAML call: no code can have a name with a blank. */
export const APPLY_RESOURCES = 'apply resources';

/** Evaluated keys of a step. */
type Body = PuppetHash;

interface StepKind {
  /** The function that the step calls; null: it has the value of its key. */
  readonly calls: string | null;
  readonly required: readonly string[];
  readonly options: readonly string[];
  readonly others: readonly string[];
  readonly args: (body: Body, options: PuppetHash) => readonly Value[];
}

const COMMON = ['name', 'description', 'targets'];

const describe = (body: Body) => (truthy(body.get('description')) ? [body.get('description') ?? null] : []);
const unlessEmpty = (hash: PuppetHash) => (hash.size === 0 ? [] : [hash]);
const truthy = (value: Value | undefined) => value !== undefined && value !== null && value !== false;
const part = (body: Body, name: string): Value => body.get(name) ?? null;
const mapOf = (value: Value | undefined) => (value instanceof PuppetHash ? value : new PuppetHash());

/** Follows lib/bolt/pal/yaml_plan/step. */
const KINDS: Readonly<Record<string, StepKind>> = {
  command: {
    calls: 'run_command',
    required: ['command', 'targets'],
    options: ['catch_errors', 'env_vars', 'run_as'],
    others: [],
    args: (body, options) => [part(body, 'command'), part(body, 'targets'), ...describe(body), ...unlessEmpty(options)],
  },
  download: {
    calls: 'download_file',
    required: ['download', 'destination', 'targets'],
    options: ['catch_errors', 'run_as'],
    others: [],
    args: (body, options) => [part(body, 'download'), part(body, 'destination'), part(body, 'targets'), ...describe(body), ...unlessEmpty(options)], // biome-ignore format: short
  },
  eval: { calls: null, required: ['eval'], options: [], others: [], args: () => [] },
  message: {
    calls: 'out::message',
    required: ['message'],
    options: [],
    others: [],
    args: (body) => [part(body, 'message')],
  },
  verbose: {
    calls: 'out::verbose',
    required: ['verbose'],
    options: [],
    others: [],
    args: (body) => [part(body, 'verbose')],
  },
  plan: {
    calls: 'run_plan',
    required: ['plan'],
    options: ['catch_errors', 'run_as'],
    others: ['parameters'],
    args: (body, options) => {
      const targets = part(body, 'targets');
      const params = mapOf(body.get('parameters')).merge(options);
      return [part(body, 'plan'), ...(truthy(targets) ? [targets] : []), ...unlessEmpty(params)];
    },
  },
  resources: {
    calls: APPLY_RESOURCES,
    required: ['resources', 'targets'],
    options: ['catch_errors', 'description', 'noop', 'run_as'],
    others: [],
    args: (body, options) => [part(body, 'targets'), part(body, 'resources'), options],
  },
  script: {
    calls: 'run_script',
    required: ['script', 'targets'],
    options: ['catch_errors', 'env_vars', 'run_as'],
    others: ['arguments', 'pwsh_params'],
    args: (body, options) => {
      const list = part(body, 'arguments');
      const named = mapOf(body.get('pwsh_params'));
      const all = PuppetHash.of(options);
      if (Array.isArray(list) && list.length > 0) all.set('arguments', list);
      if (named.size > 0) all.set('pwsh_params', named);
      return [part(body, 'script'), part(body, 'targets'), ...describe(body), ...unlessEmpty(all)];
    },
  },
  task: {
    calls: 'run_task',
    required: ['targets', 'task'],
    options: ['catch_errors', 'noop', 'run_as'],
    others: ['parameters'],
    args: (body, options) => {
      const params = mapOf(body.get('parameters')).merge(options);
      return [part(body, 'task'), part(body, 'targets'), ...describe(body), ...unlessEmpty(params)];
    },
  },
  upload: {
    calls: 'upload_file',
    required: ['destination', 'targets', 'upload'],
    options: ['catch_errors', 'run_as'],
    others: [],
    args: (body, options) => [part(body, 'upload'), part(body, 'destination'), part(body, 'targets'), ...describe(body), ...unlessEmpty(options)], // biome-ignore format: short
  },
};

type StepMap = ReadonlyMap<string, YamlCode>;

/** Reads the steps of a plan; `fail` throws. Follows lib/bolt/pal/yaml_plan/step.rb. */
export function readSteps(
  given: YamlCode | undefined,
  names: readonly string[],
  reader: CodeReader,
  fail: (message: string) => never,
): readonly YamlStep[] {
  if (!Array.isArray(given)) return fail('Plan must specify an array of steps');
  const used = new Set(names);
  return given.map((one: YamlCode, index): YamlStep => {
    const number = index + 1;
    if (!isCodeMap(one)) {
      return fail(`Parse error in step number ${number}: Plan step must be an object with valid step keys.`);
    }
    const name = nameOf(one);
    const failStep = (message: string): never => {
      const identifier = name === null ? `number ${number}` : inspectString(name);
      return fail(`Parse error in step ${identifier}: \n ${message}`);
    };
    const step = readStep(one, name, reader, failStep);
    if (name !== null && used.has(name)) {
      failStep(`Duplicate step name or parameter detected: ${inspectString(name)}`);
    }
    if (name !== null) used.add(name);
    return step;
  });
}

function nameOf(step: StepMap): string | null {
  const name = step.get('name') ?? null;
  if (isCodeText(name)) return name.text;
  return typeof name === 'string' ? name : null;
}

function readStep(step: StepMap, name: string | null, reader: CodeReader, fail: (message: string) => never): YamlStep {
  const actions = Object.keys(KINDS).filter((key) => step.has(key));
  const [action] = actions;
  const kind = action === undefined ? undefined : KINDS[action];
  if (action === undefined || kind === undefined) return fail('No valid action detected');
  if (actions.length > 1) fail(`Multiple action keys detected: ${inspectRuby(actions)}`);
  checkKeys(step, action, kind, reader, fail);
  return { name, run: (scope) => runStep(step, action, kind, reader, scope) };
}

function checkKeys(
  step: StepMap,
  action: string,
  kind: StepKind,
  reader: CodeReader,
  fail: (message: string) => never,
): void {
  const allowed = [...kind.required, ...kind.options, ...kind.others, ...COMMON];
  const illegal = [...step.keys()].filter((key) => !allowed.includes(key));
  if (illegal.length > 0) fail(`The ${inspectString(action)} step does not support: ${inspectRuby(illegal)} key(s)`);
  const missing = kind.required.filter((key) => !step.has(key));
  if (missing.length > 0) fail(`The ${inspectString(action)} step requires: ${inspectRuby(missing)} key(s)`);
  if (step.has('parameters') && !isCodeMap(step.get('parameters'))) fail('Parameters key must be a hash');
  try {
    for (const [key, code] of step) reader.check(key, code);
    if (action === 'resources') checkResources(step.get('resources'), fail);
  } catch (error) {
    if (error instanceof PuppetError) fail(error.basic);
    throw error;
  }
}

// Bolt: lib/bolt/pal/yaml_plan/step/resources.rb
function checkResources(given: YamlCode | undefined, fail: (message: string) => never): void {
  for (const resource of Array.isArray(given) ? given : []) {
    if (!isCodeMap(resource)) continue;
    const [hasType, hasTitle] = [resource.has('type'), resource.has('title')];
    if (hasTitle && !hasType) fail('Resource declaration must include type key if title key is set');
    if (hasType && !hasTitle) fail('Resource declaration must include title key if type key is set');
    const types = [...resource.keys()].filter((key) => key !== 'parameters');
    if (hasType || types.length === 1) continue;
    if (types.length === 0) fail('Resource declaration is missing a type');
    fail(`Resource declaration has ambiguous type: could be ${types.join(' or ')}`);
  }
}

function runStep(step: StepMap, action: string, kind: StepKind, reader: CodeReader, scope: Scope): Value {
  const body = reader.evaluate(new Map([...step].filter(([key]) => key !== 'name')), scope);
  if (!(body instanceof PuppetHash)) throw new Error('invariant: a step is a hash');
  if (kind.calls === null) return body.get(action) ?? null;
  const options = PuppetHash.of(
    Array.from(body).flatMap(([key, value]) =>
      kind.options.includes(String(key)) ? [[`_${String(key)}`, value] as const] : [],
    ),
  );
  return scope.context.evaluator.callFunction(kind.calls, kind.args(body, options), scope, null);
}
