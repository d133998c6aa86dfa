/** Compiles parsed Ruby to JavaScript functions. */

import { isLogLevel } from '../../errors/compile-log.ts';
import { RubySymbol } from '../../serialization/yaml.ts';
import { freezeDeep } from '../../types/values/frozen.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';
import { RubyRaise } from './exceptions.ts';
import { fallBack } from './fallback.ts';
import { constantOf } from './methods/library-methods.ts';
import { callMethod, methodCaller } from './methods/methods.ts';
import { assertPattern } from './methods/regexp-methods.ts';
import { OUTPUT, RubyLambda, RubyRange, UNKNOWN } from './objects.ts';
import {
  assertText,
  type Block,
  BreakJump,
  type DefinedMethod,
  type MethodCall,
  NativeJump,
  NextJump,
  Rendering,
  type ResultUse,
  ReturnJump,
  type RubyFrame,
  type SelfObject,
  TEXT_LIMIT,
} from './runtime.ts';
import type {
  LocalPlace,
  RubyBlockNode,
  RubyCall,
  RubyDefinition,
  RubyMethodParameter,
  RubyNode,
  RubyParameterNode,
  RubyTarget,
} from './syntax/ruby-ast.ts';
import { isConstantExpression, type ResultUses, usesOfResults, withoutFreeze } from './syntax/ruby-nodes.ts';
import { parseRuby } from './syntax/ruby-parser.ts';
import { isKnownTrue, toOutput, toS } from './text-form.ts';

type Run = (frame: RubyFrame, render: Rendering) => Value;

/** Compiles `code`; `texts` are the texts that it writes, by number. */
export function compileRuby(code: string, texts: readonly string[]): (render: Rendering) => void {
  const { body, slots } = parseRuby(code);
  const run = compile(body, { texts, uses: NONE, constants: NO_CONSTANTS, modules: null });
  return (render) => void run(newFrame(slots, null), render);
}

const NONE: ResultUses = new Map();

/** The constants that a file sets, by name. */
export type Constants = ReadonlyMap<string, Value>;
const NO_CONSTANTS: Constants = new Map();

interface CompileScope {
  /** The texts that the code writes. */
  readonly texts: readonly string[];
  readonly uses: ResultUses;
  readonly constants: Constants;
  /** Names of the modules around the code, innermost first; null outside of modules. */
  readonly modules: readonly string[] | null;
}

/** Compiles a method definition. `modules`: names of the modules around it, innermost first. */
export function compileMethod(
  node: RubyDefinition,
  constants: Constants = NO_CONSTANTS,
  modules: readonly string[] | null = null,
): DefinedMethod {
  return methodOf(node, (one) => compile(one, { texts: [], uses: usesOfResults(node.body), constants, modules }));
}

/**
 * Evaluates an expression that depends only on those constants. Throws Fallback for any other
 * expression.
 */
export function evaluateConstant(node: RubyNode, constants: Constants): Value {
  if (!isConstantExpression(node)) return fallBack('a constant that is worked out');
  const run = compile(withoutFreeze(node), { texts: [], uses: NONE, constants, modules: null });
  return freezeDeep(run(newFrame(0, null), new Rendering(null, NO_SELF, new Map(), new WeakSet())));
}

const NO_SELF: SelfObject = { value: UNKNOWN, call: (name) => fallBack(name) };

/** Compiles a block as a method of one argument. */
export function compileBlock({ body, slots, parameters }: RubyBlockNode & { kind: 'block' }): DefinedMethod {
  const [parameter] = parameters.items;
  if (parameters.items.length !== 1 || parameters.isSpread || parameter?.kind !== 'slot') return fallBack('a block');
  const run = compile(body, { texts: [], uses: usesOfResults(body), constants: NO_CONSTANTS, modules: null });
  return (render, [arg = null], isLast) => {
    const frame = newFrame(slots, null, isLast);
    frame.slots[parameter.slot] = arg;
    try {
      return run(frame, render);
    } catch (error) {
      if (error instanceof ReturnJump || error instanceof NextJump) return error.value;
      throw error;
    }
  };
}

function newFrame(slots: number, outer: RubyFrame | null, isLast = false): RubyFrame {
  return {
    slots: slots === 1 ? [null] : new Array<Value>(slots).fill(null),
    outer,
    matches: outer ? outer.matches : { last: null },
    isLast,
  };
}

function compile(node: RubyNode, scope: CompileScope): Run {
  const inner = (one: RubyNode): Run => compile(one, scope);
  switch (node.kind) {
    case 'nil':
      return () => null;
    case 'true':
      return () => true;
    case 'false':
      return () => false;
    case 'self':
      return (_, render) => render.self.value;
    case 'integer':
    case 'float': {
      const { value } = node;
      return () => value;
    }
    case 'symbol': {
      const symbol = new RubySymbol(node.name);
      return () => symbol;
    }
    case 'string':
      return compileInterpolation(node.parts, inner);
    case 'regexp':
      return compilePattern(node.parts, node.options, inner);
    case 'array': {
      const items = listOf(node.items, inner);
      return (frame, render) => render.markOwn(items(frame, render));
    }
    case 'hash': {
      const pairs = node.pairs.map(([key, value]) => [inner(key), inner(value)] as const);
      return (frame, render) =>
        render.markOwn(PuppetHash.of(pairs.map(([key, value]) => [key(frame, render), value(frame, render)] as const)));
    }
    case 'range': {
      const [from, to] = [inner(node.from), inner(node.to)];
      return (frame, render) => rangeOf(from(frame, render), to(frame, render), node.excludesEnd);
    }
    case 'constant': {
      const set = scope.constants.get(node.name);
      return set === undefined ? readConstant(node.name, scope.modules) : () => set;
    }
    case 'text': {
      const text = scope.texts[node.index] ?? '';
      return (_, render) => {
        render.write(text);
        return OUTPUT;
      };
    }
    case 'output': {
      const value = inner(node.value);
      return (frame, render) => {
        render.write(toOutput(value(frame, render), render));
        return OUTPUT;
      };
    }
    case 'sequence':
      return compileSequence(node.body.map(inner));
    case 'local':
      return readLocal(node.at);
    case 'ivar':
      return readVariable(node.name, scope.modules !== null);
    case 'match':
      return readMatch(node.group);
    case 'assign':
      return assign(node.target, inner(node.value), inner);
    case 'operatorAssign':
      return operatorAssign(node.target, node.operator, inner(node.value), inner);
    case 'multipleAssign':
      return multipleAssign(node.targets, node.values, inner);
    case 'if': {
      const [condition, consequence] = [inner(node.condition), inner(node.consequence)];
      const alternative = node.alternative ? inner(node.alternative) : () => null;
      return (frame, render) => (isKnownTrue(condition(frame, render)) ? consequence : alternative)(frame, render);
    }
    case 'case':
      return compileChoice(node, inner);
    case 'while':
      return loop(node, inner);
    case 'and': {
      const [left, right] = [inner(node.left), inner(node.right)];
      return (frame, render) => {
        const value = left(frame, render);
        return isKnownTrue(value) ? right(frame, render) : value;
      };
    }
    case 'or': {
      const [left, right] = [inner(node.left), inner(node.right)];
      return (frame, render) => {
        const value = left(frame, render);
        return isKnownTrue(value) ? value : right(frame, render);
      };
    }
    case 'not': {
      const value = inner(node.value);
      return (frame, render) => !isKnownTrue(value(frame, render));
    }
    case 'lambda': {
      const make = blockMaker(node.code, inner);
      return (frame, render) => new RubyLambda(make(frame, render)[0]);
    }
    case 'defined':
      return scope.modules ? fallBack('defined? in a module') : compileDefined(node.value);
    case 'next':
    case 'break':
    case 'return':
      return jump(node.kind, node.value ? inner(node.value) : () => null);
    case 'rescue':
      return compileRescue(node, inner);
    case 'ensure':
      return compileEnsure(inner(node.body), inner(node.end));
    case 'define':
      return compileDefinition(node, inner);
    case 'call':
      if (node.builds) return buildText(node, node.builds, inner);
      return call(node, inner, scope.uses.get(node) ?? 'needed');
    case 'module':
    case 'class':
    case 'splat':
      return fallBack(node.kind);
  }
}

type Inner = (node: RubyNode) => Run;

/** Returns the values of a list; `*list` is expanded. */
function listOf(nodes: readonly RubyNode[], inner: Inner): (frame: RubyFrame, render: Rendering) => Value[] {
  if (!nodes.some(({ kind }) => kind === 'splat')) {
    const runs = nodes.map(inner);
    const [only] = runs;
    if (runs.length === 1 && only) return (frame, render) => [only(frame, render)];
    return (frame, render) => runs.map((run) => run(frame, render));
  }
  const runs = nodes.map((node) =>
    node.kind === 'splat' ? { run: inner(node.value), isSpread: true } : { run: inner(node), isSpread: false },
  );
  return (frame, render) =>
    runs.flatMap(({ run, isSpread }): readonly Value[] => {
      const value = run(frame, render);
      return isSpread ? spreadOut(value) : [value];
    });
}

/** Returns the elements of `*value`. */
function spreadOut(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  return typeof value === 'object' ? fallBack('an object spread') : [value];
}

function compileSequence(body: readonly Run[]): Run {
  return (frame, render) => {
    let value: Value = null;
    for (const run of body) value = run(frame, render);
    return value;
  };
}

function compileInterpolation(parts: readonly (string | RubyNode)[], inner: Inner): Run {
  const [only = ''] = parts;
  if (parts.length <= 1 && typeof only === 'string') return () => only;
  const runs = parts.map((part) => (typeof part === 'string' ? part : inner(part)));
  return (frame, render) => {
    let text = '';
    for (const run of runs) text += typeof run === 'string' ? run : toS(run(frame, render), render);
    return text;
  };
}

/** Number of patterns that are kept of one place in the code. */
const PATTERNS_KEPT = 1000;

/** Keeps what `make` gives for a text, as code in loops makes the same patterns again. */
function keepByText(make: (text: string) => PuppetRegexp): (text: string) => PuppetRegexp {
  const kept = new Map<string, PuppetRegexp>();
  return (text) => {
    const known = kept.get(text);
    if (known) return known;
    if (kept.size >= PATTERNS_KEPT) kept.clear();
    const made = make(text);
    kept.set(text, made);
    return made;
  };
}

function compilePattern(parts: readonly (string | RubyNode)[], options: string, inner: Inner): Run {
  const wrap = (source: string): PuppetRegexp => assertPattern(withOptions(source, options));
  const [only = ''] = parts;
  if (parts.length <= 1 && typeof only === 'string') {
    const regexp = wrap(only);
    return () => regexp;
  }
  const runs = parts.map((part) => (typeof part === 'string' ? part : inner(part)));
  const keep = keepByText(wrap);
  const dynamic = runs.filter((run) => typeof run !== 'string');
  const [single] = dynamic;
  if (dynamic.length === 1 && single) {
    const make = keepByText((text) => keep(runs.map((run) => (typeof run === 'string' ? run : text)).join('')));
    return (frame, render) => {
      const value = single(frame, render);
      return make(value instanceof PuppetRegexp ? value.toString() : toS(value, render));
    };
  }
  return (frame, render) => {
    let source = '';
    for (const run of runs) {
      const value = typeof run === 'string' ? run : run(frame, render);
      source += value instanceof PuppetRegexp ? value.toString() : toS(value, render);
    }
    return keep(source);
  };
}

/** Adds options as `Regexp#to_s` prints them. */
function withOptions(source: string, options: string): string {
  if (options === '') return source;
  const on = ['m', 'i', 'x'].filter((option) => options.includes(option)).join('');
  const off = ['m', 'i', 'x'].filter((option) => !options.includes(option)).join('');
  return `(?${on}${off && `-${off}`}:${source})`;
}

/** Creates a range of integers or texts. Ruby must compare the ends of other ranges. */
function rangeOf(from: Value, to: Value, excludesEnd: boolean): RubyRange {
  if (typeof from !== typeof to || !['bigint', 'string'].includes(typeof from))
    return fallBack('a range of other things than integers');
  return new RubyRange(from, to, excludesEnd);
}

function frameAt(frame: RubyFrame, depth: number): RubyFrame {
  let at = frame;
  for (let left = depth; left > 0; left -= 1) at = at.outer ?? fallBack('a variable without a frame');
  return at;
}

function readLocal({ depth, slot }: LocalPlace): Run {
  if (depth === 0) return (frame) => frame.slots[slot] ?? null;
  return (frame) => frameAt(frame, depth).slots[slot] ?? null;
}

function readVariable(name: string, isModules: boolean): Run {
  if (!isModules) return (_, render) => render.ivars.get(name) ?? null;
  // A module keeps its variables: an earlier call may have set it.
  return (_, render) => render.ivars.get(name) ?? (render.ivars.has(name) ? null : fallBack(`@${name} of a module`));
}

/** Reads a constant: a module that a required file defines, or one of Ruby's. */
function readConstant(name: string, modules: readonly string[] | null): Run {
  const names = [...(modules ?? []).map((module) => `${module}::${name}`), name];
  return (_, render) => {
    if (render.modules.size > 0)
      for (const one of names) {
        const found = render.modules.get(one);
        if (found) return found;
      }
    return constantOf(name);
  };
}

function readMatch(group: number | null): Run {
  return ({ matches: { last } }) => {
    if (last === undefined) return fallBack('the last match');
    return last && group !== null ? last.group(group) : last;
  };
}

type Write = (frame: RubyFrame, render: Rendering, value: Value) => void;

function compileWriter(target: Exclude<RubyTarget, { kind: 'index' }>): Write {
  if (target.kind === 'constant') return fallBack('a constant set here');
  if (target.kind === 'ivar') return (_, render, value) => void render.ivars.set(target.name, value);
  const { depth, slot } = target.at;
  return (frame, _, value) => {
    frameAt(frame, depth).slots[slot] = value;
  };
}

function assign(target: RubyTarget, value: Run, inner: Inner): Run {
  if (target.kind !== 'index') {
    const write = compileWriter(target);
    return (frame, render) => {
      const assigned = value(frame, render);
      write(frame, render, assigned);
      return assigned;
    };
  }
  const [receiver, args] = [inner(target.receiver), target.args.map(inner)];
  return (frame, render) => {
    const container = receiver(frame, render);
    const given = args.map((arg) => arg(frame, render));
    const assigned = value(frame, render);
    callMethod(container, '[]=', callOf(frame, render, [...given, assigned]));
    return assigned;
  };
}

function operatorAssign(target: RubyTarget, operator: string, value: Run, inner: Inner): Run {
  if (target.kind === 'index') return indexOperatorAssign(target, operator, value, inner);
  const read = inner(target);
  const write = compileWriter(target);
  return (frame, render) => {
    const old = read(frame, render);
    if (operator === '||' && isKnownTrue(old)) return old;
    if (operator === '&&' && !isKnownTrue(old)) return old;
    const result = combineValues(operator, old, value, frame, render);
    write(frame, render, result);
    return result;
  };
}

function combineValues(operator: string, old: Value, value: Run, frame: RubyFrame, render: Rendering): Value {
  const given = value(frame, render);
  if (operator === '||' || operator === '&&') return given;
  return callMethod(old, operator, callOf(frame, render, [given]));
}

function indexOperatorAssign(target: RubyTarget & { kind: 'index' }, operator: string, value: Run, inner: Inner): Run {
  const [receiver, args] = [inner(target.receiver), target.args.map(inner)];
  return (frame, render) => {
    const container = receiver(frame, render);
    const given = args.map((arg) => arg(frame, render));
    const old = callMethod(container, '[]', callOf(frame, render, given));
    if (operator === '||' && isKnownTrue(old)) return old;
    if (operator === '&&' && !isKnownTrue(old)) return old;
    const result = combineValues(operator, old, value, frame, render);
    callMethod(container, '[]=', callOf(frame, render, [...given, result]));
    return result;
  };
}

function multipleAssign(targets: readonly RubyTarget[], nodes: readonly RubyNode[], inner: Inner): Run {
  const values = listOf(nodes, inner);
  const isOne = nodes.length === 1 && nodes[0]?.kind !== 'splat';
  const writes = targets.map((target) => (target.kind === 'index' ? assignTo(target, inner) : compileWriter(target)));
  return (frame, render) => {
    const given = values(frame, render);
    const [only = null] = given;
    if (isOne && !Array.isArray(only) && typeof only === 'object' && only !== null) return fallBack('an object spread');
    const list: readonly Value[] = isOne && Array.isArray(only) ? only : given;
    writes.forEach((write, index) => {
      write(frame, render, list[index] ?? null);
    });
    return isOne ? only : list;
  };
}

function assignTo(target: RubyTarget, inner: Inner): Write {
  return (frame, render, value) => void assign(target, () => value, inner)(frame, render);
}

function compileChoice(node: RubyNode & { kind: 'case' }, inner: Inner): Run {
  const subject = node.subject ? inner(node.subject) : null;
  const isCase = methodCaller('===');
  const branches = node.branches.map(({ patterns, body }) => ({ patterns: patterns.map(inner), body: inner(body) }));
  const alternative = node.alternative ? inner(node.alternative) : () => null;
  return (frame, render) => {
    const value = subject ? subject(frame, render) : null;
    const fits = (one: Run): boolean => {
      const given = one(frame, render);
      return isKnownTrue(subject ? isCase(given, callOf(frame, render, [value])) : given);
    };
    const found = branches.find(({ patterns }) => patterns.some(fits));
    return (found ? found.body : alternative)(frame, render);
  };
}

function loop(node: RubyNode & { kind: 'while' }, inner: Inner): Run {
  const [condition, body] = [inner(node.condition), inner(node.body)];
  return (frame, render) => {
    while (isKnownTrue(condition(frame, render)) !== node.isUntil) {
      render.step();
      try {
        body(frame, render);
      } catch (error) {
        if (error instanceof BreakJump && error.block === frame) return error.value;
        if (!(error instanceof NextJump)) throw error;
      }
    }
    return null;
  };
}

function compileDefined(node: RubyNode): Run {
  if (node.kind === 'constant') return () => (constantOf(node.name) ? 'constant' : null);
  if (node.kind !== 'ivar') return () => 'local-variable';
  return (_, render) => (render.ivars.has(node.name) ? 'instance-variable' : null);
}

function jump(kind: 'next' | 'break' | 'return', value: Run): Run {
  if (kind === 'next') {
    return (frame, render) => {
      throw new NextJump(value(frame, render));
    };
  }
  if (kind === 'return') {
    return (frame, render) => {
      throw new ReturnJump(value(frame, render));
    };
  }
  return (frame, render) => {
    throw new BreakJump(frame, value(frame, render));
  };
}

function compileRescue({ body, clauses }: RubyNode & { kind: 'rescue' }, inner: Inner): Run {
  const run = inner(body);
  const rescues = clauses.map((clause) => ({
    classes: listOf(clause.classes, inner),
    write:
      clause.target && (clause.target.kind === 'index' ? assignTo(clause.target, inner) : compileWriter(clause.target)),
    run: inner(clause.body),
  }));
  return (frame, render) => {
    try {
      return run(frame, render);
    } catch (error) {
      if (!(error instanceof RubyRaise)) throw error;
      const found = rescues.find(({ classes }) => error.isOneOf(classes(frame, render))) ?? null;
      if (!found) throw error;
      found.write?.(frame, render, error.error);
      return found.run(frame, render);
    }
  };
}

/** Code that is left to Ruby or ends the compile counts as not run: it gets no `ensure`. */
function compileEnsure(run: Run, end: Run): Run {
  return (frame, render) => {
    let value: Value;
    try {
      value = run(frame, render);
    } catch (error) {
      if (error instanceof RubyRaise || error instanceof NativeJump) end(frame, render);
      throw error;
    }
    end(frame, render);
    return value;
  };
}

function compileDefinition(node: RubyDefinition, inner: Inner): Run {
  const method = methodOf(node, inner);
  return (_, render) => {
    render.world.defineMethod(node.name, node.source, method);
    return new RubySymbol(node.name);
  };
}

function methodOf({ name, parameters, slots, body }: RubyDefinition, inner: Inner): DefinedMethod {
  const run = inner(body);
  const required = parameters.filter(({ kind }) => kind === 'required').length;
  const most = parameters.some(({ kind }) => kind === 'rest') ? Number.POSITIVE_INFINITY : countOf(parameters);
  const takes = parameters.map(({ kind, slot, otherwise }): Take => {
    const byDefault = otherwise ? inner(otherwise) : null;
    return (frame, render, args, index) => {
      const given = args[index];
      const rest = kind === 'rest' ? render.markOwn(args.slice(index)) : null;
      frame.slots[slot] = kind === 'block' ? null : (rest ?? given ?? byDefault?.(frame, render) ?? null);
    };
  });
  return (render, args, isLast) => {
    if (args.length < required || args.length > most) fallBack(`the number of arguments of ${name}`);
    render.step();
    const frame = newFrame(slots, null, isLast);
    takes.forEach((take, index) => {
      take(frame, render, args, index);
    });
    try {
      return run(frame, render);
    } catch (error) {
      if (error instanceof ReturnJump) return error.value;
      throw error;
    }
  };
}

/** Binds a parameter to its arguments. */
type Take = (frame: RubyFrame, render: Rendering, args: readonly Value[], index: number) => void;

function countOf(parameters: readonly RubyMethodParameter[]): number {
  return parameters.filter(({ kind }) => kind !== 'block').length;
}

function callOf(frame: RubyFrame, render: Rendering, args: readonly Value[], block: Block | null = null): MethodCall {
  return { render, args, block, matches: frame.matches };
}

/** Methods that take a hash without braces as an ordinary argument. */
const TAKING_HASHES: ReadonlySet<string> = new Set(
  'merge merge! update push append << format sprintf call_function safe_load'.split(' '),
);

function call(node: RubyCall, inner: Inner, ownUse: ResultUse): Run {
  const { name, isSafe } = node;
  const last = node.args.at(-1);
  if (last?.kind === 'hash' && last.isBare && !TAKING_HASHES.has(name)) return () => fallBack('named arguments');
  const receiver = node.receiver && node.receiver.kind !== 'self' ? inner(node.receiver) : null;
  const args = listOf(node.args, inner);
  const makeBlock = node.block && blockMaker(node.block, inner);
  const unheard = unheardLevel(node);
  const invoke = receiver
    ? methodCaller(name)
    : (_: Value, made: MethodCall): Value => made.render.self.call(name, made);
  return (frame, render) => {
    render.step();
    if (unheard !== null && !render.world.isLogged(unheard)) return null;
    const self = receiver ? receiver(frame, render) : render.self.value;
    if (isSafe && self === null) return null;
    const given = args(frame, render);
    const use = ownUse === 'last' && !frame.isLast ? 'needed' : ownUse;
    if (!makeBlock) return invoke(self, { render, args: given, block: null, matches: frame.matches, use });
    const [block, own] = makeBlock(frame, render);
    try {
      return invoke(self, callOf(frame, render, given, block));
    } catch (error) {
      if (error instanceof BreakJump && own.includes(error.block)) return error.value;
      throw error;
    }
  };
}

/**
 * The level of a call like `Puppet.debug("for #{name}")`, which needs no text while the log drops
 * its level; null for any other call. Backends of Hiera say what they try in each turn of a loop.
 */
function unheardLevel({ name, receiver, args, block }: RubyCall): string | null {
  const [text] = args;
  if (receiver?.kind !== 'constant' || receiver.name !== 'Puppet' || args.length !== 1 || block) return null;
  if (text?.kind !== 'string' || !isLogLevel(name)) return null;
  return text.parts.every((part) => typeof part === 'string' || part.kind === 'local') ? name : null;
}

/** Implements `text << value` where nothing but the variable holds the text. */
function buildText(node: RubyCall, at: LocalPlace, inner: Inner): Run {
  const receiver = node.receiver ? inner(node.receiver) : () => null;
  const args = listOf(node.args, inner);
  const read = readLocal(at);
  const write = compileWriter({ kind: 'local', at });
  const invoke = methodCaller(node.name);
  return (frame, render) => {
    render.step();
    const self = receiver(frame, render);
    const given = args(frame, render);
    const text = read(frame, render);
    if (typeof self !== 'string' || typeof text !== 'string') return invoke(self, callOf(frame, render, given));
    const built = given.reduce((before: string, value) => before + assertText(value), text);
    if (built.length > TEXT_LIMIT) fallBack('a long text');
    write(frame, render, built);
    return built;
  };
}

/** Creates the block, and lists the frames of its calls in progress. */
type BlockMaker = (frame: RubyFrame, render: Rendering) => readonly [Block, readonly object[]];

function blockMaker(node: RubyBlockNode, inner: Inner): BlockMaker {
  if (node.kind === 'symbolBlock') {
    return (frame, render) => {
      const run = (args: readonly Value[]): Value =>
        callMethod(args[0] ?? null, node.name, {
          render,
          args: args.slice(1),
          block: null,
          matches: { last: undefined },
        });
      return [{ call: run, matches: frame.matches, isPlain: false }, []];
    };
  }
  const { parameters, slots } = node;
  const { items, isSpread } = parameters;
  const [first] = items;
  const onlySlot = items.length === 1 && first?.kind === 'slot' && !isSpread ? first.slot : null;
  const body = inner(node.body);
  const isPlain = isPlainOrder(node.body);
  return (outer, render) => {
    const frames: object[] = [];
    const run = (args: readonly Value[]): Value => {
      render.step();
      const frame = newFrame(slots, outer);
      if (onlySlot === null) bind(items, spread(isSpread, args), frame);
      else frame.slots[onlySlot] = args[0] ?? null;
      frames.push(frame);
      try {
        const value = body(frame, render);
        frames.pop();
        return value;
      } catch (error) {
        if (!(error instanceof NextJump)) throw error;
        frames.pop();
        return error.value;
      }
    };
    return [{ call: run, matches: outer.matches, isPlain }, frames];
  };
}

/** Methods that call their block to compare; the number of calls is not defined. */
const ORDERING: ReadonlySet<string> = new Set(
  '<=> [] fetch + - * to_s to_i to_f length size downcase upcase -@ == key? include? split first last nil?'.split(' '),
);

/** Whether the block has no side effects, so that extra calls do no harm. */
function isPlainOrder(node: RubyNode): boolean {
  if (node.kind === 'call') {
    if (node.receiver === null || node.block || !ORDERING.has(node.name)) return false;
    return [node.receiver, ...node.args].every(isPlainOrder);
  }
  if (node.kind === 'array') return node.items.every(isPlainOrder);
  if (node.kind === 'sequence') return node.body.every(isPlainOrder);
  if (node.kind === 'if') return [node.condition, node.consequence, node.alternative ?? NIL].every(isPlainOrder);
  if (node.kind === 'and' || node.kind === 'or') return isPlainOrder(node.left) && isPlainOrder(node.right);
  if (node.kind === 'string') return node.parts.every((part) => typeof part === 'string' || isPlainOrder(part));
  return ['local', 'ivar', 'integer', 'float', 'symbol', 'nil', 'true', 'false'].includes(node.kind);
}

const NIL: RubyNode = { kind: 'nil' };

function spread(isSpread: boolean, args: readonly Value[]): readonly Value[] {
  const [only] = args;
  return isSpread && args.length === 1 && Array.isArray(only) ? only : args;
}

function bind(items: readonly RubyParameterNode[], values: readonly Value[], frame: RubyFrame): void {
  const [only] = items;
  if (items.length === 1 && only?.kind === 'slot') {
    frame.slots[only.slot] = values[0] ?? null;
    return;
  }
  items.forEach((item, index) => {
    const value = values[index] ?? null;
    if (item.kind === 'slot') frame.slots[item.slot] = value;
    else bind(item.items, Array.isArray(value) ? value : [value], frame);
  });
}
