import type { FactKeeping } from '../../config/fact-settings.ts';
import type { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { FactsPointer, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { USUAL_CHECKSUM_TYPE } from '../facts/checksum-types.ts';
import { hasStableChange, matchMovingFacts, noteFactChanges } from '../facts/fact-changes.ts';
import { addFactChanges, listFactChanges } from '../facts/fact-history.ts';
import { loadFacts, type NodeFacts, storeFacts, timeFacts } from '../facts/facts-blob.ts';
import { isWorthNoting } from '../groups/node-grouping.ts';
import type { CheckIn } from './catalog-service.ts';
import type { NodeAssignment } from './node-assignments.ts';
import type { Visits } from './visits.ts';

/** Facts that changed without a reason to compile are stored at most this often. */
const FACTS_MS = DAY_MS;

/** Stores the facts of check-ins. */
export class CheckInFacts {
  readonly #ports: Pick<Stores, 'nodes' | 'blobs' | 'documents' | 'clock'>;
  readonly #keeping: FactKeeping | undefined;
  readonly #visits: Pick<Visits, 'note'>;

  /** `keeping` selects facts for an inventory; without it, those that compiles need are stored. */
  constructor(
    ports: Pick<Stores, 'nodes' | 'blobs' | 'documents' | 'clock'>,
    keeping: FactKeeping | undefined,
    visits: Pick<Visits, 'note'>,
  ) {
    this.#visits = visits;
    this.#ports = ports;
    this.#keeping = keeping;
  }

  /** Stores the news of a visit that compiles nothing: time, groups, and facts that are due. */
  async noteVisit(node: NodeRecord, checkIn: CheckIn, { grouping }: NodeAssignment): Promise<void> {
    const { certname, facts, trusted } = checkIn;
    const { nodes, clock } = this.#ports;
    const at = clock.now();
    await this.#visits.note(node, at);
    let { version } = node;
    if (isWorthNoting(node.grouping, grouping) && (await nodes.noteGrouping(certname, grouping, version))) version += 1;
    if (facts === null || !(await this.#areFactsDue(node, facts, at))) return;
    const said = { facts, trusted, checksumTypes: checksumTypes(node, checkIn) };
    await nodes.factsStored(certname, await this.store(node, said, at), version);
  }

  /**
   * Facts that no compile needs are stored once a day; for an inventory, at once when one changed
   * that does not change at each run, and else once an interval.
   */
  async #areFactsDue({ facts: stored }: NodeRecord, facts: PuppetHash, at: number): Promise<boolean> {
    const keeping = this.#keeping;
    const age = at - (stored?.at ?? 0);
    if (stored === null || age >= FACTS_MS || keeping === undefined) return age >= FACTS_MS;
    return age >= keeping.intervalMs || hasStableChange(facts, keeping, stored);
  }

  /**
   * Stores facts in place of those that the record names, and notes the values that changed;
   * returns their pointer.
   */
  async store(node: NodeRecord, said: NodeFacts, now: number): Promise<FactsPointer> {
    const { blobs } = this.#ports;
    const keeping = this.#keeping;
    const known = node.facts;
    const at = timeFacts(known, now);
    let stored: Promise<PuppetHash | null> | null = null;
    const loadStored = () => {
      stored ??= loadFacts(blobs, node).then((found) => found?.facts ?? null);
      return stored;
    };
    const changes = keeping === undefined ? {} : await noteFactChanges(said.facts, keeping, known ?? {}, loadStored);
    const isSame = keeping !== undefined && changes.stable === known?.stable;
    if (known !== null && !isSame) await this.#noteHistory(node.certname, await loadStored(), said.facts, at, changes);
    return { ...(await storeFacts(blobs, said, at)), ...changes };
  }

  async #noteHistory(
    certname: string,
    before: PuppetHash | null,
    after: PuppetHash,
    at: number,
    known: Pick<FactsPointer, 'stable' | 'moving'>,
  ): Promise<void> {
    if (before === null) return;
    const isMoving = matchMovingFacts(this.#keeping?.blocked ?? [], known);
    await addFactChanges(this.#ports.documents, certname, await listFactChanges(before, after, at, isMoving));
  }
}

/**
 * All checksum types that the node's agent ever requested, and the default one, so that agents of
 * either type get the same catalogs.
 */
export function checksumTypes({ inputs }: NodeRecord, { checksumType }: CheckIn): readonly string[] {
  const types = [USUAL_CHECKSUM_TYPE, ...(inputs?.checksumTypes ?? []), ...(checksumType ? [checksumType] : [])];
  return [...new Set(types)].sort();
}
