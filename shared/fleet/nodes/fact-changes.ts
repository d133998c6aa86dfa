import { type FactKeeping, matchBlockedFacts } from '../../config/fact-settings.ts';
import { printJsonInSteps } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { FactsPointer } from '../../store/ports/node-record.ts';
import { digestSha256 } from '../../util/digest.ts';
import { runInSteps } from '../../util/in-steps.ts';

/** Facts of Facter that change at each run. */
const MOVING = new Set([
  ...['uptime', 'uptime_days', 'uptime_hours', 'uptime_seconds', 'system_uptime', 'load_averages'],
  ...['memoryfree', 'memoryfree_mb', 'swapfree', 'swapfree_mb'],
]);
/** Facts of Facter of which these parts change at each run. */
const PARTLY_MOVING = new Set(['memory', 'mountpoints', 'zpools']);
const MOVING_PARTS = new Set(['available', 'available_bytes', 'capacity', 'used', 'used_bytes']);
/** A fact that changed so often in a row counts as one that changes at each run. */
const MOVES = 3;
/** Names of facts that a pointer remembers: the record of the node has it. */
const MOST_NAMES = 40;

/** What a facts pointer tells of changes. */
type FactChanges = Pick<FactsPointer, 'stable' | 'moving'>;

/** What is known of the changes of a node's facts, with facts that are about to be stored. */
export async function noteFactChanges(
  facts: PuppetHash,
  keeping: FactKeeping,
  known: FactChanges,
  loadStored: () => Promise<PuppetHash | null>,
): Promise<FactChanges> {
  const moving = { ...known.moving };
  if (known.stable !== undefined && known.stable !== (await digestStable(facts, keeping, known))) {
    const stored = await loadStored();
    const changed = stored === null ? [] : await listChanged(stored, facts);
    for (const name of Object.keys(moving)) {
      if ((moving[name] ?? 0) < MOVES && !changed.includes(name)) delete moving[name];
    }
    for (const name of changed) {
      if (name in moving || Object.keys(moving).length < MOST_NAMES) moving[name] = (moving[name] ?? 0) + 1;
    }
  }
  return { stable: await digestStable(facts, keeping, { moving }), moving };
}

/** Whether facts differ from the stored ones in a fact that does not change at each run. */
export async function hasStableChange(facts: PuppetHash, keeping: FactKeeping, known: FactChanges): Promise<boolean> {
  return known.stable !== (await digestStable(facts, keeping, known));
}

/** Digest of the facts that do not change at each run. */
async function digestStable(
  facts: PuppetHash,
  { blocked }: FactKeeping,
  { moving = {} }: FactChanges,
): Promise<string> {
  const isBlocked = matchBlockedFacts(blocked);
  const kept = [...facts.entries()].flatMap(([key, value]): readonly (readonly [string, Value])[] => {
    const name = String(key);
    if (MOVING.has(name) || (moving[name] ?? 0) >= MOVES || isBlocked(name)) return [];
    return [[name, PARTLY_MOVING.has(name) ? withoutMovingParts(value) : value]];
  });
  return digestSha256(await runInSteps(printJsonInSteps(PuppetHash.of(kept))));
}

function withoutMovingParts(value: Value): Value {
  if (!(value instanceof PuppetHash)) return value;
  const kept = [...value.entries()].filter(([key]) => !MOVING_PARTS.has(String(key)));
  return PuppetHash.of(kept.map(([key, part]) => [key, withoutMovingParts(part)] as const));
}

async function listChanged(before: PuppetHash, after: PuppetHash): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [key, value] of after.entries()) {
    const print = (one: Value) => runInSteps(printJsonInSteps([one]));
    if ((await print(value)) !== (await print(before.get(key) ?? null))) changed.push(String(key));
  }
  return changed;
}
