/** Answers Ruby's callbacks, by name; answers are JSON. */
import type { RubyCallbacks } from '../evaluator/ruby-callbacks.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { CALLBACK_ROWS } from './callbacks.ts';
import { WireError } from './object-table.ts';
import { printShared } from './wire.ts';
import { type CallContext, lentEntries, lentEntry, listIn, ofLent, textIn, type WireAnswer } from './wire-answers.ts';

/** The calls of Ruby's side, by name: those of the callbacks, and reads of lent hashes. */
const CALLS: ReadonlyMap<string, WireAnswer> = new Map<string, WireAnswer>([
  ...Object.values(CALLBACK_ROWS).flatMap(({ calls = {} }) => Object.entries(calls)),
  ['entry', lentEntry],
  [
    'has_entry',
    (call, _callbacks, { objects }) =>
      ofLent(call, objects, (hash) => ({ has: String(hash.has(textIn(call, 'name'))) })),
  ],
  [
    'entry_names',
    (call, _callbacks, { objects }) => ofLent(call, objects, (hash) => ({ names: JSON.stringify([...hash.keys()]) })),
  ],
  ['entries', lentEntries],
  ['seen', replaySeen],
]);

/** The calls that change the compile. A request that used one is not retried. */
const EFFECTS: ReadonlySet<string> = new Set([
  'block',
  ...Object.values(CALLBACK_ROWS).flatMap(({ calls = {}, hasEffects }) => (hasEffects ? Object.keys(calls) : [])),
]);

/** Whether a call changes the compile or what Ruby shares with it. */
export function hasEffects(call: PuppetHash): boolean {
  return EFFECTS.has(String(call.get('call'))) || call.has('changed');
}

/**
 * Reuses code that is already loaded: the inputs recorded at its load become inputs of this compile
 * too.
 */
function replaySeen(call: PuppetHash, callbacks: RubyCallbacks, context: CallContext): string {
  for (const asked of listIn(call, 'calls')) {
    if (!(asked instanceof PuppetHash)) throw new WireError('Ruby has seen what is no call');
    answerCall(asked, callbacks, context);
  }
  return 'null';
}

function callBlock(call: PuppetHash, { blocks, objects, read }: CallContext): string {
  const block = blocks[Number(call.get('id'))];
  if (!block) throw new WireError('Ruby called a block that is gone');
  return printShared(block.run(listIn(call, 'args').map(read)), objects);
}

/**
 * Answers a callback with JSON. Throws WireError for an unknown call, and any error of the compile.
 */
export function answerCall(call: PuppetHash, callbacks: RubyCallbacks | null, context: CallContext): string {
  const name = textIn(call, 'call');
  const changed = call.get('changed');
  if (Array.isArray(changed)) changed.forEach(context.read);
  if (name === 'block') return callBlock(call, context);
  const answer = CALLS.get(name);
  if (!answer) throw new WireError(`Ruby asked for ${name}, which is not offered`);
  if (!callbacks) throw new WireError(`Ruby asked for ${name} where nothing is compiled`);
  return answer(call, callbacks, context);
}
