/** Reads function files that contain only the definition of a function. */
import type {
  LegacyFunctionDescription,
  RubyDispatch,
  RubyFunctionDescription,
  RubyParameter,
} from '../../evaluator/ruby-port.ts';
import { fallBack } from './fallback.ts';
import { isKernelMethod } from './methods/kernel-methods.ts';
import { readRequiredPaths } from './required-paths.ts';
import type { RubyBlockNode, RubyCall, RubyDefinition, RubyNode } from './syntax/ruby-ast.ts';
import { textOfString } from './syntax/ruby-nodes.ts';
import { parseRuby } from './syntax/ruby-parser.ts';

type Block = RubyBlockNode & { readonly kind: 'block' };

interface FunctionSource {
  readonly description: RubyFunctionDescription;
  readonly methods: readonly RubyDefinition[];
  /** The constants that the file sets, in order. */
  readonly constants: readonly (readonly [name: string, value: RubyNode])[];
  /** Paths of files that the file requires, from its folder. */
  readonly requires: readonly string[];
  /** Methods that receive the caller's scope before their arguments. */
  readonly scoped: ReadonlySet<string>;
}

interface LegacyFunctionSource {
  readonly description: LegacyFunctionDescription;
  /** Paths of files that the file requires, from its folder. */
  readonly requires: readonly string[];
  readonly body: Block;
}

/** Reads a function of the 4.x API. Throws Fallback for a file that Ruby must load. */
export function readFunction(text: string): FunctionSource {
  const requires: string[] = [];
  const made = lastCall(parseRuby(text, true).body, [], requires);
  if (made.name !== 'create_function' || constantName(made.receiver) !== 'Puppet::Functions') fallBack('another call');
  const isInternal = made.args.length === 2 && constantName(made.args[1] ?? null) === INTERNAL;
  if (made.args.length !== 1 && !isInternal) fallBack('a function of another kind');
  const name = nameIn(made.args[0]);
  const statements = statementsOf(plainBlock(made)).filter((node) => !isVisibility(node));
  const definitions = statements.filter((node) => node.kind === 'define');
  const methods = definitions.filter((node) => node.source !== SCOPED_CALL);
  const constants = statements.filter((node) => node.kind === 'assign').map(constantIn);
  const calls = statements.filter((node) => node.kind !== 'define' && node.kind !== 'assign').map(ownCall);
  checkMethods(methods.map((method) => method.name));
  const read = calls.filter((call) => call.name !== 'local_types').map(dispatchOf);
  const dispatches = read.map(({ dispatch }) => dispatch);
  if (methods.length < definitions.length) return scopedFunction(name, read, { constants, requires, methods });
  return {
    constants,
    requires,
    scoped: findScopedMethods(read, isInternal),
    description: {
      name,
      dispatches: dispatches.length > 0 ? dispatches : [defaultDispatch(name, methods)],
      localTypes: calls.filter((call) => call.name === 'local_types').flatMap(localTypesOf),
    },
    methods,
  };
}

/** A method of old functions that puts the caller's scope in front of the arguments. */
const SCOPED_CALL = `def call(scope, *args)
    manipulated_args = [scope] + args
    self.class.dispatcher.dispatch(self, scope, manipulated_args)
  end`;

/** A function with such a method and one dispatch, which takes a scope and any arguments. */
function scopedFunction(
  name: string,
  [only, ...others]: readonly ReadDispatch[],
  source: Pick<FunctionSource, 'constants' | 'requires' | 'methods'>,
): FunctionSource {
  const { method, parameters, ...dispatch } = only?.dispatch ?? fallBack('no dispatch');
  const [scope, args, ...more] = parameters;
  const takesAll = scope?.kind === 'required' && args?.kind === 'repeated' && more.length === 0;
  const isPlain = takesAll && parameters.every(({ type }) => type === 'Any') && !dispatch.block && !dispatch.returns;
  if (!isPlain || only?.isScoped || dispatch.isMismatch || others.length > 0) fallBack('a method that others call');
  const block = { type: 'Callable', name: 'block', isOptional: true };
  const parameter = { name: 'args', type: 'Any', kind: 'repeated' } as const;
  const taken = { method: 'call', parameters: [parameter], block, returns: null, isMismatch: false };
  const methods = source.methods.map((one) => (one.name === method ? { ...one, name: 'call' } : one));
  return { ...source, methods, scoped: new Set(['call']), description: { name, dispatches: [taken], localTypes: [] } };
}

const INTERNAL = 'Puppet::Functions::InternalFunction';

function constantIn(node: RubyNode & { kind: 'assign' }): readonly [string, RubyNode] {
  return node.target.kind === 'constant' ? [node.target.name, node.value] : fallBack('a variable around methods');
}

/** Finds the methods that receive the scope: each one in all its dispatches, or in none. */
function findScopedMethods(read: readonly ReadDispatch[], isInternal: boolean): ReadonlySet<string> {
  const scoped = new Set(read.filter(({ isScoped }) => isScoped).map(({ dispatch }) => dispatch.method));
  if (scoped.size > 0 && !isInternal) fallBack('a scope for a function that gets none');
  if (read.some(({ dispatch, isScoped }) => scoped.has(dispatch.method) !== isScoped))
    fallBack('a method with and without a scope');
  return scoped;
}

/** Reads a function of the 3.x API. */
export function readLegacyFunction(text: string): LegacyFunctionSource {
  const scope: string[] = [];
  const requires: string[] = [];
  const made = lastCall(parseRuby(text, true).body, scope, requires);
  const owner = made.receiver ? constantName(made.receiver) : scope.join('::');
  if (made.name !== 'newfunction' || owner !== FUNCTIONS || (made.receiver && scope.length > 0))
    fallBack('another call');
  const [name, options, ...others] = made.args;
  if (others.length > 0) fallBack('arguments');
  const known = nameIn(name);
  if (BUILT_IN.test(known)) fallBack('a function of Puppet');
  return { description: { name: known, ...optionsOf(options) }, requires, body: plainBlock(made) };
}

const FUNCTIONS = 'Puppet::Parser::Functions';
/** Names whose definition would change the calls of other code. */
export const BUILT_IN =
  /^(?:alert|contain|create_resources|crit|debug|emerg|err|hiera_include|include|info|notice|realize|require|tag|warning|digest|file|fqdn_rand|generate|inline_template|md5|scanf|sha1|sha256|shellquote|sprintf|tagged|template|versioncmp|fail)$/;

/** Method names with a meaning for other code. */
const MEANT =
  /^(?:call|call_function|closure_scope|class|instance_\w+|loader|method_\w+|methods?|respond_to\w*\??|send|initialize\w*|__\w+)$/;

function checkMethods(names: readonly string[]): void {
  if (new Set(names).size < names.length) fallBack('a method that is defined twice');
  if (names.some((name) => MEANT.test(name) || isKernelMethod(name))) fallBack('a method that others call');
}

/**
 * Returns the last call of a file; earlier calls may only require libraries. `scope` collects the
 * names of the surrounding modules, `requires` the files of modules that are required.
 */
function lastCall(body: RubyNode, scope: string[], requires: string[]): RubyCall {
  const nodes = body.kind === 'sequence' ? body.body : [body];
  const last = nodes.at(-1);
  requires.push(...readRequiredPaths(nodes.slice(0, -1)));
  if (last?.kind === 'module') {
    scope.push(last.name);
    return lastCall(last.body, scope, requires);
  }
  return last?.kind === 'call' ? last : fallBack('what is no call');
}

/** `private` for the methods behind it, which code of the file calls without a receiver. */
function isVisibility(node: RubyNode): boolean {
  if (node.kind !== 'call' || node.receiver || node.block || node.args.length > 0) return false;
  return node.name === 'private' || node.name === 'public';
}

function plainBlock({ block }: RubyCall): Block {
  return block?.kind === 'block' ? block : fallBack('no block');
}

function statementsOf({ body, parameters, slots }: Block): readonly RubyNode[] {
  if (parameters.items.length > 0 || slots > 0) fallBack('variables around methods');
  if (body.kind === 'sequence') return body.body;
  return body.kind === 'nil' ? [] : [body];
}

function ownCall(node: RubyNode): RubyCall {
  return node.kind === 'call' && !node.receiver ? node : fallBack('what is no call');
}

function constantName(node: RubyNode | null): string {
  return node?.kind === 'constant' ? node.name : fallBack('what is no constant');
}

function nameIn(node: RubyNode | undefined): string {
  return node?.kind === 'symbol' ? node.name : textOfString(node);
}

function symbolIn(node: RubyNode | undefined): string {
  return node?.kind === 'symbol' ? node.name : fallBack('what is no symbol');
}

const KINDS: Readonly<Record<string, RubyParameter['kind']>> = {
  param: 'required',
  required_param: 'required',
  optional_param: 'optional',
  repeated_param: 'repeated',
  optional_repeated_param: 'repeated',
  required_repeated_param: 'required_repeated',
};

interface ReadDispatch {
  readonly dispatch: RubyDispatch;
  readonly isScoped: boolean;
}

function dispatchOf(call: RubyCall): ReadDispatch {
  if (call.args.length !== 1 || (call.name !== 'dispatch' && call.name !== 'argument_mismatch')) fallBack(call.name);
  const parameters: RubyParameter[] = [];
  let block: RubyDispatch['block'] = null;
  let returns: string | null = null;
  const [first = null, ...others] = statementsOf(plainBlock(call)).map(ownCall);
  const isScoped = first?.name === 'scope_param' && first.args.length === 0 && first.block === null;
  for (const { name, args, block: given } of isScoped || !first ? others : [first, ...others]) {
    const kind = KINDS[name];
    if (given) fallBack('a block');
    if (kind) {
      if (block || args.length !== 2) fallBack('a parameter behind a block');
      checkOrder(kind, parameters);
      parameters.push({ name: symbolIn(args[1]), type: textOfString(args[0]), kind });
    } else if (name === 'return_type' && args.length === 1) returns = textOfString(args[0]);
    else if (/^(?:optional_|required_)?block_param$/.test(name) && !block) block = blockParameter(name, args);
    else fallBack(name);
  }
  const isMismatch = call.name === 'argument_mismatch';
  return { isScoped, dispatch: { method: nameIn(call.args[0]), parameters, block, returns, isMismatch } };
}

function checkOrder(kind: RubyParameter['kind'], before: readonly RubyParameter[]): void {
  if (before.at(-1)?.kind.endsWith('repeated')) fallBack('a parameter behind a repeated one');
  if (kind.startsWith('required') && before.some((one) => one.kind === 'optional'))
    fallBack('a parameter out of order');
}

function blockParameter(method: string, args: readonly RubyNode[]): RubyDispatch['block'] {
  if (args.length > 2) fallBack('arguments');
  return {
    type: args.length === 2 ? textOfString(args[0]) : 'Callable',
    name: args.length === 0 ? 'block' : symbolIn(args.at(-1)),
    isOptional: method.startsWith('optional'),
  };
}

function localTypesOf(call: RubyCall): readonly string[] {
  if (call.args.length > 0) fallBack('arguments');
  return statementsOf(plainBlock(call)).map((node) => {
    const { name, args } = ownCall(node);
    const text = textOfString(args[0]);
    return name === 'type' && args.length === 1 && /^\s*[A-Z]\w*(?:::[A-Z]\w*)*\s*=/.test(text) ? text : fallBack(name);
  });
}

/** Without a dispatch, the method named like the function accepts any arguments. */
function defaultDispatch(name: string, methods: readonly RubyDefinition[]): RubyDispatch {
  const method = methods.find((one) => one.name === name.split('::').at(-1)) ?? fallBack('no method of that name');
  const parameters = method.parameters
    .filter(({ kind }) => kind !== 'block')
    .map((one): RubyParameter => {
      const kind = one.kind === 'rest' ? 'repeated' : one.kind === 'optional' ? 'optional' : 'required';
      return { name: one.name, type: 'Any', kind };
    });
  return { method: method.name, parameters, block: null, returns: null, isMismatch: false };
}

function optionsOf(node: RubyNode | undefined): { type: 'statement' | 'rvalue'; arity: number } {
  const pairs = node === undefined ? [] : node.kind === 'hash' ? node.pairs : fallBack('options');
  const options = new Map(pairs.map(([key, value]) => [symbolIn(key), value] as const));
  const doc = options.get('doc');
  if (doc) textOfString(doc);
  const type = options.has('type') ? symbolIn(options.get('type')) : 'statement';
  const arity = options.get('arity') ?? { kind: 'integer', value: -1n };
  if ([...options.keys()].some((key) => !['type', 'arity', 'doc'].includes(key))) fallBack('options');
  if ((type !== 'statement' && type !== 'rvalue') || arity.kind !== 'integer') return fallBack('options');
  return { type, arity: Number(arity.value) };
}
