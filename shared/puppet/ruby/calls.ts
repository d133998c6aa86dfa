/** Answers Ruby's callbacks, by name; answers are JSON. */
import { computeCommand } from '../commands/pure-command.ts';
import { createKeyFile, type KeptFiles } from '../commands/ssh-keygen.ts';
import type { Callable, ResourceChange } from '../evaluator/ports.ts';
import type { RubyCallbacks } from '../evaluator/ruby-callbacks.ts';
import type { GivenBlock, ScopeName, VisibleVariables } from '../evaluator/ruby-port.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { KeptAnswers } from './kept-answers.ts';
import { type LentHash, type ObjectTable, WireError } from './object-table.ts';
import { readDescription } from './read-descriptions.ts';
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

type Answer = (call: PuppetHash, callbacks: RubyCallbacks, context: CallContext) => string;

const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['function', callFunction],
  ['method', callMethod],
  ['var', answerVariable],
  ['fact', answerFact],
  ['vars', answerVariables],
  [
    'variables',
    (call, callbacks, { objects }) => String(objects.lendListed(listed(callbacks.getVariables(scopeOf(call))))),
  ],
  ['entry', entry],
  [
    'has_entry',
    (call, _callbacks, { objects }) =>
      ofLent(call, objects, (hash) => ({ has: String(hash.has(readText(call, 'name'))) })),
  ],
  [
    'entry_names',
    (call, _callbacks, { objects }) => ofLent(call, objects, (hash) => ({ names: JSON.stringify([...hash.keys()]) })),
  ],
  ['entries', entries],
  ['defaults', answerDefaults],
  [
    'replace_defaults',
    (call, callbacks) => answerNull(callbacks.replaceDefaults(Number(readField(call, 'id')), scopeOf(call))),
  ],
  [
    'setvar',
    (call, callbacks, { read }) =>
      answerNull(callbacks.setVariable(readText(call, 'name'), read(readField(call, 'value')), scopeOf(call))),
  ],
  [
    'log',
    (call, callbacks) =>
      answerNull(
        callbacks.log(readText(call, 'level'), readText(call, 'message'), readWarningKey(call), sourceOf(call)),
      ),
  ],
  ['read', (call, callbacks) => JSON.stringify(callbacks.readFile(readText(call, 'path')))],
  [
    'command',
    (call, callbacks) => {
      const argv = list(call, 'argv').map(String);
      const files: KeptFiles = {
        read: (path) => callbacks.readKept(path),
        write: (path, text) => callbacks.writeKept(path, text),
      };
      return JSON.stringify(computeCommand(argv) ?? createKeyFile(argv, files));
    },
  ],
  ['kept', (call, callbacks) => JSON.stringify(callbacks.readKept(readText(call, 'path')))],
  [
    'keep',
    (call, callbacks) => {
      const text = call.get('text') === null ? null : readText(call, 'text');
      return answerNull(callbacks.writeKept(readText(call, 'path'), text));
    },
  ],
  ['kind', (call, callbacks) => JSON.stringify(callbacks.kindOf(readText(call, 'path')))],
  ['list', (call, callbacks) => JSON.stringify(callbacks.list(readText(call, 'path')))],
  ['lists', (call, callbacks) => JSON.stringify(list(call, 'paths').map((path) => callbacks.list(String(path))))],
  ['tags', (call, callbacks) => JSON.stringify(callbacks.listTags(tagsWanted(readText(call, 'which'))))],
  [
    'setting',
    (call, callbacks, { objects }) => printValue(callbacks.getSetting(readText(call, 'name')) ?? null, objects),
  ],
  [
    'mismatch',
    (call, callbacks, { read }) =>
      JSON.stringify(
        callbacks.describeMismatch(readDescription(readField(call, 'function')), list(call, 'args').map(read)),
      ),
  ],
  [
    'title',
    (call, callbacks) =>
      JSON.stringify(Object.fromEntries(callbacks.titleAttributes(readText(call, 'type'), readText(call, 'title')))),
  ],
  [
    'instance',
    (call, callbacks, { read }) => String(callbacks.isInstance(readText(call, 'type'), read(readField(call, 'value')))),
  ],
  [
    'typeof',
    (call, callbacks, { read }) =>
      JSON.stringify(callbacks.typeOf(read(readField(call, 'value')), call.get('set') === true)),
  ],
  [
    'to_data',
    (call, callbacks, { read, objects }) =>
      printShared(callbacks.toRichData(read(readField(call, 'value')), call.get('local_reference') === true), objects),
  ],
  [
    'from_data',
    (call, callbacks, { read, objects }) => printShared(callbacks.fromRichData(read(readField(call, 'data'))), objects),
  ],
  ['resource', answerResource],
  ['resources', (_call, callbacks) => JSON.stringify(callbacks.resourceNames())],
  ['scopes', (_call, callbacks) => JSON.stringify(callbacks.scopeNames())],
  ['remove', remove],
  ['change', change],
  ['definition', answerDefinition],
  ['type', (call, callbacks) => JSON.stringify(callbacks.resourceType(readText(call, 'name')))],
  ['modules', (_call, callbacks) => JSON.stringify(Object.fromEntries(callbacks.listModules()))],
  ['source', answerSource],
  ['seen', replaySeen],
  ['now', (call, callbacks) => String(callbacks.readClock(readText(call, 'name')))],
  ['volatile', (call, callbacks) => answerNull(callbacks.recordVolatile(readText(call, 'name')))],
  ['stack', (_call, callbacks) => JSON.stringify(callbacks.getStack())],
]);

/**
 * Answers a callback with JSON. Throws WireError for an unknown call, and any error of the compile.
 */
export function answerCall(call: PuppetHash, callbacks: RubyCallbacks | null, context: CallContext): string {
  const name = readText(call, 'call');
  const changed = call.get('changed');
  if (Array.isArray(changed)) changed.forEach(context.read);
  if (name === 'block') return callBlock(call, context);
  const answer = ANSWERS.get(name);
  if (!answer) throw new WireError(`Ruby asked for ${name}, which is not offered`);
  if (!callbacks) throw new WireError(`Ruby asked for ${name} where nothing is compiled`);
  return answer(call, callbacks, context);
}

function callBlock(call: PuppetHash, { blocks, objects, read }: CallContext): string {
  const block = blocks[Number(call.get('id'))];
  if (!block) throw new WireError('Ruby called a block that is gone');
  return printShared(block.run(list(call, 'args').map(read)), objects);
}

function callFunction(call: PuppetHash, callbacks: RubyCallbacks, context: CallContext): string {
  const block = findGivenBlock(call, context);
  const [name, where] = [readText(call, 'name'), scopeOf(call)];
  const args = list(call, 'args').map(context.read);
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
  const [least = 0n, most = null] = list(call, 'arity');
  const arity = [Number(least), most === null ? Number.POSITIVE_INFINITY : Number(most)] as const;
  return Object.assign(rubyBlock(String(id)), { arity });
}

function callMethod(call: PuppetHash, callbacks: RubyCallbacks, context: CallContext): string {
  const id = call.get('block') ?? null;
  const block = typeof id === 'bigint' ? context.rubyBlock(String(id)) : null;
  const object = context.read(readField(call, 'object'));
  const args = list(call, 'args').map(context.read);
  const arity = Math.abs(Number(call.get('arity') ?? 0));
  const value = callbacks.callMethod(object, readText(call, 'name'), args, block, arity);
  const { kept, objects } = context;
  if (!call.has('keep')) return printShared(value, objects);
  return kept.print(readText(call, 'keep'), call.get('has') ?? null, value, objects);
}

function answerVariable(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const [name, where] = [readText(call, 'name'), scopeOf(call)];
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
function answerFact(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  let value = callbacks.getVariable('facts', true, null);
  for (const key of list(call, 'path')) {
    if (!(value instanceof PuppetHash)) return 'null';
    value = value.get(key);
  }
  return printFrame({ value: printShared(value ?? null, objects) });
}

function entry(call: PuppetHash, _callbacks: RubyCallbacks, { objects }: CallContext): string {
  return ofLent(call, objects, (hash) => {
    const value = hash.get(readText(call, 'name'));
    return { set: String(value !== undefined), value: printShared(value ?? null, objects) };
  });
}

function entries(call: PuppetHash, _callbacks: RubyCallbacks, { objects }: CallContext): string {
  return ofLent(call, objects, (hash) => {
    const pairs = Array.from(
      hash.entries(),
      ([key, value]) => `[${JSON.stringify(key)},${printShared(value, objects)}]`,
    );
    return { pairs: `[${pairs.join(',')}]` };
  });
}

/** Answers a read of a lent hash as a frame; null when the hash was forgotten. */
function ofLent(
  call: PuppetHash,
  objects: ObjectTable,
  read: (hash: LentHash) => Readonly<Record<string, string>>,
): string {
  const hash = objects.lent(Number(readField(call, 'of')));
  return hash ? printFrame(read(hash)) : 'null';
}

function listed(variables: VisibleVariables): LentHash {
  return {
    get: (name) => variables.get(name),
    has: (name) => variables.get(name) !== undefined,
    keys: () => variables.all().keys(),
    entries: () => variables.all(),
  };
}

/** Answers with all variables, or with the named ones that are set. */
function answerVariables(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const where = scopeOf(call);
  const found = call.has('names')
    ? getVariables(list(call, 'names').map(String), callbacks, where)
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

/**
 * Reuses code that is already loaded: the inputs recorded at its load become inputs of this compile
 * too.
 */
function replaySeen(call: PuppetHash, callbacks: RubyCallbacks, context: CallContext): string {
  for (const asked of list(call, 'calls')) {
    if (!(asked instanceof PuppetHash)) throw new WireError('Ruby has seen what is no call');
    answerCall(asked, callbacks, context);
  }
  return 'null';
}

function answerDefaults(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const entries = [...callbacks.getDefaults(readText(call, 'type'), scopeOf(call))];
  return printFrame(Object.fromEntries(entries.map(([name, value]) => [name, printValue(value, objects)])));
}

function answerResource(call: PuppetHash, callbacks: RubyCallbacks, { objects }: CallContext): string {
  const name = call.has('type') ? ([readText(call, 'type'), readText(call, 'title')] as const) : null;
  const view = callbacks.findResource(name);
  if (!view) return 'null';
  const { parameters, ...rest } = view;
  const printed = [...parameters].map(([key, value]) => [key, printShared(value, objects)] as const);
  return `{"about":${JSON.stringify(rest)},"parameters":${printFrame(Object.fromEntries(printed))}}`;
}

function answerDefinition(call: PuppetHash, callbacks: RubyCallbacks): string {
  const kind = readText(call, 'kind');
  if (kind !== 'class' && kind !== 'define' && kind !== 'function' && kind !== 'type') {
    throw new WireError(`Ruby asked for a definition of a ${kind}`);
  }
  return JSON.stringify(callbacks.findDefinition(kind, readText(call, 'name')));
}

function change(call: PuppetHash, callbacks: RubyCallbacks, { read }: CallContext): string {
  const name = [readText(call, 'type'), readText(call, 'title')] as const;
  return answerNull(callbacks.changeResource(name, readChange(call, read)));
}

function readChange(call: PuppetHash, read: CallContext['read']): ResourceChange {
  const how = readText(call, 'how');
  if (how === 'tag') return { kind: 'tag', tags: list(call, 'tags').map(String) };
  if (how === 'loose') return { kind: 'loose' };
  if (how === 'set')
    return { kind: 'set', parameter: readText(call, 'parameter'), value: read(readField(call, 'value')) };
  if (how !== 'place') throw new WireError(`Ruby changes a resource by ${how}`);
  const [file, line] = [call.get('file') ?? null, call.get('line') ?? null];
  return {
    kind: 'place',
    file: typeof file === 'string' ? file : undefined,
    line: line === null ? undefined : Number(line),
  };
}

function remove(call: PuppetHash, callbacks: RubyCallbacks): string {
  const from = readText(call, 'from');
  if (from !== 'catalog' && from !== 'compiler') throw new WireError(`Ruby removes a resource from the ${from}`);
  return answerNull(callbacks.removeResource([readText(call, 'type'), readText(call, 'title')], from));
}

function scopeOf(call: PuppetHash): ScopeName {
  return call.has('in') ? readText(call, 'in') : null;
}

function sourceOf(call: PuppetHash): string | null {
  const said = call.get('source') ?? null;
  return typeof said === 'string' ? said : null;
}

function answerSource(call: PuppetHash, callbacks: RubyCallbacks): string {
  const found = callbacks.functionSource(readText(call, 'name'));
  return found ? JSON.stringify({ path: found.path, source: found.text }) : 'null';
}

function tagsWanted(which: string): 'scope' | 'all' | 'classes' {
  if (which === 'scope' || which === 'all' || which === 'classes') return which;
  throw new WireError(`Ruby asked for tags of ${which}`);
}

function readWarningKey(call: PuppetHash): string | null {
  return call.has('key') ? readText(call, 'key') : null;
}

function answerNull(_done: unknown): string {
  return 'null';
}

function readField(call: PuppetHash, name: string): Value {
  const value = call.get(name);
  if (value === undefined) throw new WireError(`Ruby's call lacks ${name}`);
  return value;
}

function readText(call: PuppetHash, name: string): string {
  const value = readField(call, name);
  if (typeof value === 'string') return value;
  throw new WireError(`Ruby's call has a ${name} that is no text`);
}

function list(call: PuppetHash, name: string): readonly Value[] {
  const value = readField(call, name);
  if (Array.isArray(value)) return value;
  throw new WireError(`Ruby's call has ${name} that are no list`);
}
