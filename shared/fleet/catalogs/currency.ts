import { isSameData } from '../../puppet/environment/value-digest.ts';
import { type InputChange, verifyInputs } from '../../puppet/environment/verify.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { InputSummary, NodeRecord } from '../../store/ports/node-record.ts';
import type { NodeFacts } from '../facts/facts-blob.ts';
import { classificationDigest, classificationOf, environmentInForce } from '../nodes/classification.ts';
import type { CheckIn } from './catalog-service.ts';

/** The reason to compile a node whose classification is another one. */
export const CLASSIFICATION_CHANGED = 'classification changed';

/**
 * Why the last compile of a node does not match a check-in at the time `now`, one text per reason;
 * empty when it matches.
 */
export function findCompileReasons(node: NodeRecord, checkIn: CheckIn, now: number): readonly string[] {
  const { inputs } = node;
  if (!inputs) return ['first catalog'];
  const environment = environmentInForce(node, checkIn.environment);
  if (inputs.environment !== environment) return [`environment ${inputs.environment} -> ${environment}`];
  if (inputs.classification !== classificationDigest(classificationOf(node))) return [CLASSIFICATION_CHANGED];
  const { checksumType = null } = checkIn;
  if (checksumType !== null && !inputs.checksumTypes.includes(checksumType)) return [`checksum type ${checksumType}`];
  const facts = checkIn.facts ? { facts: checkIn.facts } : {};
  return verifyInputs(inputs, { ...facts, trusted: checkIn.trusted, now }).map(describeInputChange);
}

/** Describes a changed input for `reasons`. */
export function describeInputChange({ kind, name, reason }: InputChange): string {
  return reason === 'volatile' ? `volatile function ${name}` : `${kind} ${name} ${reason}`;
}

/**
 * Whether a compile with the stored facts would suit this check-in: all facts the last compile read
 * have the same values. Before the first compile the facts must be identical, since it is unknown
 * which ones it will read.
 */
export function isSameForCompile(inputs: InputSummary | null, stored: NodeFacts, checkIn: CheckIn): boolean {
  const { checksumType = null } = checkIn;
  if (checksumType !== null && !stored.checksumTypes?.includes(checksumType)) return false;
  const facts = checkIn.facts ?? stored.facts;
  if (!inputs) return isSameData(facts, stored.facts) && isSameData(checkIn.trusted, stored.trusted);
  return (
    sameWhereSeen(inputs.facts, stored.facts, facts) && sameWhereSeen(inputs.trusted, stored.trusted, checkIn.trusted)
  );
}

function sameWhereSeen(seen: Readonly<Record<string, string>>, a: PuppetHash, b: PuppetHash): boolean {
  return Object.keys(seen).every((key) => {
    const path: readonly string[] = JSON.parse(key);
    const [one, other] = [valueAt(a, path), valueAt(b, path)];
    return one === undefined || other === undefined ? one === other : isSameData(one, other);
  });
}

function valueAt(hash: PuppetHash, path: readonly string[]): Value | undefined {
  let value: Value | undefined = hash;
  for (const key of path) value = value instanceof PuppetHash ? value.get(key) : undefined;
  return value;
}
