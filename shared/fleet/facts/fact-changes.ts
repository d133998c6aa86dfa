import { type FactKeeping, matchBlockedFacts } from '../../config/fact-settings.ts';
import { printJsonInSteps } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { FactsPointer } from '../../store/ports/node-record.ts';
import { digestLarge } from '../../util/digest.ts';
import { runInSteps, type WorkSteps } from '../../util/in-steps.ts';

/** Facts of Facter that change at each run. */
const MOVING = new Set([
  ...['uptime', 'uptime_days', 'uptime_hours', 'uptime_seconds', 'system_uptime', 'load_averages'],
  ...['memoryfree', 'memoryfree_mb', 'swapfree', 'swapfree_mb'],
]);
/** Facts of Facter of which these parts change at each run. */
const PARTLY_MOVING = new Set(['memory', 'mountpoints', 'zpools']);
const MOVING_PARTS = new Set(['available', 'available_bytes', 'capacity', 'used', 'used_bytes']);
/** A fact that changed this many times in a row counts as one that changes at each run. */
const MOVES = 3;
/** Names of facts that a pointer remembers: the record of the node has it. */
const MOST_NAMES = 40;

/** The part of a facts pointer about changes. */
type FactChanges = Pick<FactsPointer, 'stable' | 'moving'>;

/** Updates the known changes of a node's facts with facts that are about to be stored. */
export async function noteFactChanges(
  facts: PuppetHash,
  keeping: FactKeeping,
  known: FactChanges,
  loadStored: () => Promise<PuppetHash | null>,
): Promise<FactChanges> {
  const moving = { ...known.moving };
  const stable = await digestStable(facts, keeping, known);
  if (known.stable === undefined || known.stable === stable) return { stable, moving };
  const stored = await loadStored();
  const changed = stored === null ? new Set<string>() : await runInSteps(findChangedFacts(stored, facts));
  for (const [name, times] of Object.entries(moving)) {
    if (changed.delete(name)) moving[name] = times + 1;
    else if (times < MOVES) delete moving[name];
  }
  for (const name of [...changed].slice(0, MOST_NAMES - Object.keys(moving).length)) moving[name] = 1;
  const isIgnoredAnew = Object.entries(moving).some(
    ([name, times]) => times === MOVES && known.moving?.[name] !== MOVES,
  );
  return { stable: isIgnoredAnew ? await digestStable(facts, keeping, { moving }) : stable, moving };
}

/** Whether facts differ from the stored ones in a fact that does not change at each run. */
export async function hasStableChange(facts: PuppetHash, keeping: FactKeeping, known: FactChanges): Promise<boolean> {
  return known.stable !== (await digestStable(facts, keeping, known));
}

/** Digest of the facts that do not change at each run. */
async function digestStable(facts: PuppetHash, { blocked }: FactKeeping, known: FactChanges): Promise<string> {
  return digestLarge(await runInSteps(printStable(facts, matchMovingFacts(blocked, known))));
}

function* printStable(facts: PuppetHash, isMoving: (name: string) => boolean): WorkSteps<string> {
  const progress = { printed: 0 };
  let members = '';
  for (const [key, value] of facts.entries()) {
    const name = String(key);
    if (isMoving(name)) continue;
    const kept = PARTLY_MOVING.has(name) ? withoutMovingParts(value) : value;
    const text = yield* printJsonInSteps(kept, progress);
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${text}`;
  }
  return `{${members}}`;
}

function withoutMovingParts(value: Value): Value {
  if (!(value instanceof PuppetHash)) return value;
  const kept = [...value.entries()].filter(([key]) => !MOVING_PARTS.has(String(key)));
  return PuppetHash.of(kept.map(([key, part]) => [key, withoutMovingParts(part)] as const));
}

/** Finds the names of facts whose values differ, with those that are new or gone. */
export function* findChangedFacts(before: PuppetHash, after: PuppetHash): WorkSteps<Set<string>> {
  const changed = new Set<string>();
  // Many small facts pause as often as a large one.
  const progress = { printed: 0 };
  for (const [key, value] of after.entries()) {
    const old = before.get(key) ?? null;
    const isSame = (yield* printJsonInSteps(value, progress)) === (yield* printJsonInSteps(old, progress));
    if (!isSame) changed.add(String(key));
  }
  for (const [key] of before.entries()) if (after.get(key) === undefined) changed.add(String(key));
  return changed;
}

/** Returns a predicate: whether a fact changes at each run, or is not kept. */
export function matchMovingFacts(blocked: readonly string[], { moving = {} }: FactChanges): (name: string) => boolean {
  const isBlocked = matchBlockedFacts(blocked);
  return (name) => MOVING.has(name) || (moving[name] ?? 0) >= MOVES || isBlocked(name);
}

/** Whether a part of a structured fact changes at each run, as the free bytes of a disk. */
export function isMovingPart(fact: string, part: string): boolean {
  return PARTLY_MOVING.has(fact) && MOVING_PARTS.has(part);
}
