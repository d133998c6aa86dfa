import type { Callable, ResourceChange } from '../evaluator/ports.ts';
import type { RubyCallbacks } from '../evaluator/ruby-callbacks.ts';
import type { GivenBlock, ScopeName } from '../evaluator/ruby-port.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { type LentHash, type ObjectTable, WireError } from './object-table.ts';
import { printFrame, printShared, printValue } from './wire.ts';

/** A Puppet lambda that Ruby may call. */
export interface CallableBlock {
  run(args: readonly Value[]): Value;
  readonly lambda: Callable | null;
}

export interface CallContext {
  readonly objects: ObjectTable;
  readonly blocks: readonly CallableBlock[];
  readonly kept: KeptAnswers;
  read(value: Value): Value;
  /**
   * Returns the outcome, in an array, of a function that native code has called before Ruby repeats
   * its work; null when Ruby's call is the first.
   */
  repeatFunction(name: string, args: readonly Value[], where: ScopeName): readonly [Value] | null;
  /** Returns the Ruby block with that number. */
  rubyBlock(id: string): (args: readonly Value[]) => Value;
}

/** Answers a call of Ruby's side with JSON. */
export type WireAnswer = (call: PuppetHash, callbacks: RubyCallbacks, context: CallContext) => string;

export function answerFunction(call: PuppetHash, callbacks: RubyCallbacks, context: CallContext): string {
  const block = findGivenBlock(call, context);
  const [name, where] = [textIn(call, 'name'), scopeOf(call)];
  const args = listIn(call, 'args').map(context.read);
  const known = block ? null : context.repeatFunction(name, args, where);
  const result = known ? known[0] : callbacks.callFunction(name, args, block, where, call.get('own') === true);
  return printShared(result, context.objects);
}

function findGivenBlock(call: PuppetHash, { blocks, rubyBlock }: CallContext): GivenBlock | null {
  const number = call.get('lambda');
  const lambda = typeof number === 'bigint' ? blocks[Number(number)]?.lambda : null;
  if (lambda) return Object.assign((args: readonly Value[]) => lambda.call(...args), { lambda });
  const id = call.get('block') ?? null;
  if (typeof id !== 'bigint') return null;
  const [least = 0n, most = null] = listIn(call, 'arity');
  const arity = [Number(least), most === null ? Number.POSITIVE_INFINITY : Number(most)] as const;
  return Object.assign(rubyBlock(String(id)), { arity });
}

export function answerMethod(call: PuppetHash, callbacks: RubyCallbacks, context: CallContext): string {
  const id = call.get('block') ?? null;
  const block = typeof id === 'bigint' ? context.rubyBlock(String(id)) : null;
  const object = context.read(fieldIn(call, 'object'));
  const args = listIn(call, 'args').map(context.read);
  const arity = Math.abs(Number(call.get('arity') ?? 0));
  const value = callbacks.callMethod(object, textIn(call, 'name'), args, block, arity);
  const { kept, objects } = context;
  if (!call.has('keep')) return printShared(value, objects);
  return kept.print(textIn(call, 'keep'), call.get('has') ?? null, value, objects);
}

export function answerVariable(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const [name, where] = [textIn(call, 'name'), scopeOf(call)];
  const value = callbacks.getVariable(name, call.get('demanded') === true, where);
  const isExplained = value === undefined && call.get('explained') === true;
  return printFrame({
    set: String(value !== undefined),
    value: printShared(value ?? null, objects),
    ...(isExplained && { reason: JSON.stringify(callbacks.explainAbsence(name, where)) }),
  });
}

/**
 * Answers with a fact by its path; null when a step of the path is not a hash or has no such key.
 */
export function answerFact(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  let value = callbacks.getVariable('facts', true, null);
  for (const key of listIn(call, 'path')) {
    if (!(value instanceof PuppetHash)) return 'null';
    value = value.get(key);
  }
  return printFrame({ value: printShared(value ?? null, objects) });
}

/** Lends the variables: Ruby asks for those that it reads. */
export function lendVariables(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const variables = callbacks.getVariables(scopeOf(call));
  const lent: LentHash = {
    get: (name) => variables.get(name),
    has: (name) => variables.get(name) !== undefined,
    keys: () => variables.all().keys(),
    entries: () => variables.all(),
  };
  return String(objects.lendListed(lent));
}

/** Answers with all variables, or with the named ones that are set. */
export function answerVariables(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const where = scopeOf(call);
  const found = call.has('names')
    ? getVariables(listIn(call, 'names').map(String), callbacks, where)
    : callbacks.getVariables(where).all();
  const entries = [...found].map(([name, value]) => [name, printShared(value, objects)] as const);
  return printFrame(Object.fromEntries(entries));
}

function getVariables(
  names: readonly string[],
  callbacks: RubyCallbacks,
  where: ScopeName,
): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>();
  for (const name of names) {
    const value = callbacks.getVariable(name, false, where);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

export function answerDefaults(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const entries = [...callbacks.getDefaults(textIn(call, 'type'), scopeOf(call))];
  return printFrame(Object.fromEntries(entries.map(([name, value]) => [name, printValue(value, objects)])));
}

export function answerResource(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const name = call.has('type') ? ([textIn(call, 'type'), textIn(call, 'title')] as const) : null;
  const view = callbacks.findResource(name);
  if (!view) return 'null';
  const { parameters, ...rest } = view;
  const printed = [...parameters].map(([key, value]) => [key, printShared(value, objects)] as const);
  return `{"about":${JSON.stringify(rest)},"parameters":${printFrame(Object.fromEntries(printed))}}`;
}

export function answerDefinition(call: PuppetHash, callbacks: RubyCallbacks): string {
  const kind = textIn(call, 'kind');
  if (kind !== 'class' && kind !== 'define' && kind !== 'function' && kind !== 'type') {
    throw new WireError(`Ruby asked for a definition of a ${kind}`);
  }
  return JSON.stringify(callbacks.findDefinition(kind, textIn(call, 'name')));
}

export function answerChange(call: PuppetHash, callbacks: RubyCallbacks, { read }: CallContext): string {
  const name = [textIn(call, 'type'), textIn(call, 'title')] as const;
  return answerNull(callbacks.changeResource(name, readChange(call, read)));
}

function readChange(call: PuppetHash, read: CallContext['read']): ResourceChange {
  const how = textIn(call, 'how');
  if (how === 'tag') return { kind: 'tag', tags: listIn(call, 'tags').map(String) };
  if (how === 'loose') return { kind: 'loose' };
  if (how === 'set') return { kind: 'set', parameter: textIn(call, 'parameter'), value: read(fieldIn(call, 'value')) };
  if (how !== 'place') throw new WireError(`Ruby changes a resource by ${how}`);
  const [file, line] = [call.get('file') ?? null, call.get('line') ?? null];
  return {
    kind: 'place',
    file: typeof file === 'string' ? file : undefined,
    line: line === null ? undefined : Number(line),
  };
}

export function answerRemoval(call: PuppetHash, callbacks: RubyCallbacks): string {
  const from = textIn(call, 'from');
  if (from !== 'catalog' && from !== 'compiler') throw new WireError(`Ruby removes a resource from the ${from}`);
  return answerNull(callbacks.removeResource([textIn(call, 'type'), textIn(call, 'title')], from));
}

export function lentEntry(call: PuppetHash, _callbacks: RubyCallbacks, { objects }: CallContext): string {
  return ofLent(call, objects, (hash) => {
    const value = hash.get(textIn(call, 'name'));
    return { set: String(value !== undefined), value: printShared(value ?? null, objects) };
  });
}

export function lentEntries(call: PuppetHash, _callbacks: RubyCallbacks, { objects }: CallContext): string {
  return ofLent(call, objects, (hash) => {
    const pairs = Array.from(
      hash.entries(),
      ([key, value]) => `[${JSON.stringify(key)},${printShared(value, objects)}]`,
    );
    return { pairs: `[${pairs.join(',')}]` };
  });
}

/** Answers a read of a lent hash as a frame; null when the hash was forgotten. */
export function ofLent(
  call: PuppetHash,
  objects: ObjectTable,
  read: (hash: LentHash) => Readonly<Record<string, string>>,
): string {
  const hash = objects.lent(Number(fieldIn(call, 'of')));
  return hash ? printFrame(read(hash)) : 'null';
}

export function answerSource(call: PuppetHash, callbacks: RubyCallbacks): string {
  const found = callbacks.functionSource(textIn(call, 'name'));
  return found ? JSON.stringify({ path: found.path, source: found.text }) : 'null';
}

export function tagsWanted(call: PuppetHash): 'scope' | 'all' | 'classes' {
  const which = textIn(call, 'which');
  if (which === 'scope' || which === 'all' || which === 'classes') return which;
  throw new WireError(`Ruby asked for tags of ${which}`);
}

export function scopeOf(call: PuppetHash): ScopeName {
  return call.has('in') ? textIn(call, 'in') : null;
}

export function sourceOf(call: PuppetHash): string | null {
  const said = call.get('source') ?? null;
  return typeof said === 'string' ? said : null;
}

export function warningKeyOf(call: PuppetHash): string | null {
  return call.has('key') ? textIn(call, 'key') : null;
}

export function answerNull(_done: unknown): string {
  return 'null';
}

export function fieldIn(call: PuppetHash, name: string): Value {
  const value = call.get(name);
  if (value === undefined) throw new WireError(`Ruby's call lacks ${name}`);
  return value;
}

export function textIn(call: PuppetHash, name: string): string {
  const value = fieldIn(call, name);
  if (typeof value === 'string') return value;
  throw new WireError(`Ruby's call has a ${name} that is no text`);
}

export function listIn(call: PuppetHash, name: string): readonly Value[] {
  const value = fieldIn(call, name);
  if (Array.isArray(value)) return value;
  throw new WireError(`Ruby's call has ${name} that are no list`);
}
