import { summarizeNode } from '../node-summary.ts';
import type {
  CatalogPointer,
  Classification,
  FactsPointer,
  FailureRecord,
  Grouping,
  InputSummary,
  JobClaim,
  NodeRecord,
} from '../ports/node-record.ts';
import type {
  CatalogPage,
  Commit,
  GroupedNode,
  LeaseClaim,
  NodeCounts,
  NodeMarks,
  NodeStore,
  NodeSummary,
  Verification,
  WantChange,
  WantedNode,
} from '../ports/node-store.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { limitReasons, MOST_REASONS, shortReason } from '../short-texts.ts';
import { planWant, type WantPlan } from '../want-plan.ts';
import { pack, printAttribute, readJson, readNumber, readText, unpack } from './attributes.ts';
import { allOf, anyOf, attribute, attributeExists, attributeNotExists, compareTo, type Update } from './expressions.ts';
import { parseClaim, parseNodeItem, parseWantState, shardNames, shardOf } from './node-item.ts';
import type { Item, Table } from './table.ts';

/** An update that sets a node's `built` generation. */
interface Advance extends Pick<Update, 'set' | 'add' | 'remove' | 'when'> {
  readonly certname: string;
  readonly generation: number;
  readonly revision: string | null;
  /** Operator of the condition between `built` and the generation. */
  readonly built: '<' | '<=';
}

const MOST_ATTEMPTS = 8;
/** Outstanding nodes that are counted in each shard: a larger number has no use. */
const MOST_COUNTED = 10_000;
const SUMMARY_ATTRIBUTES = [
  ...['certname', 'environment', 'wanted', 'built', 'lastSeen'],
  ...['catalog', 'failure', 'inputs'],
];
/** A worker begins a compile: its job stands for the generation. */
const START = { started: attribute('wanted'), askedGeneration: attribute('wanted') };

/** Stores one item per node. Conditional writes serialise concurrent updates. */
export class AwsNodeStore implements NodeStore {
  readonly #table: Table;
  readonly #countItems: () => Promise<number>;

  /** `countItems` returns the table's item count, which may be hours old. */
  constructor(table: Table, countItems: () => Promise<number>) {
    this.#table = table;
    this.#countItems = countItems;
  }

  async get(certname: string): Promise<NodeRecord | null> {
    const item = await this.#table.get({ certname });
    return item && parseNodeItem(item);
  }

  async markSeen(certname: string, environment: string, at: number): Promise<NodeRecord> {
    const item = await this.#table.update(
      { certname },
      {
        set: { lastSeen: at },
        setIfAbsent: {
          wanted: 0,
          version: 0,
          started: 0,
          built: 0,
          askedGeneration: 0,
          askedAt: 0,
          compiles: 0,
          verifications: 0,
          wantedAt: at,
          touchedAt: at,
          ringPosition: at,
          environment,
          ring: shardOf(certname),
          reasons: [],
        },
      },
    );
    return parseNodeItem(item ?? {});
  }

  /** One request for an idle node. Others are read first, and written if they did not change. */
  async want(certname: string, reason: string, at: number, change: WantChange): Promise<WantedNode | null> {
    const raised = await this.#table.update({ certname }, wantOfIdle(certname, reason, at, change));
    if (raised) return { ...parseNodeItem(raised), isJobDue: change.asked, isUpgrade: false };
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const item = await this.#table.get({ certname });
      const { expected, version } = change;
      if (!item || (expected ?? item.wanted) !== item.wanted || (version ?? item.version) !== item.version) return null;
      const plan = planWant(parseWantState(item), at, change);
      const { isJobDue, isUpgrade } = plan;
      if (!plan.isNews) return { ...parseNodeItem(item), isJobDue, isUpgrade };
      const changed = await this.#table.update({ certname }, wantAsPlanned(item, plan, reason, at, change));
      if (!changed) continue;
      await this.#trimReasons(changed);
      return { ...parseNodeItem(changed), isJobDue, isUpgrade };
    }
    throw this.#contended(certname);
  }

  async classify(
    certname: string,
    classification: Classification | null,
    reason: string,
    at: number,
  ): Promise<WantedNode> {
    const update: Update = {
      ...(classification === null
        ? { remove: ['classification'] }
        : { set: { classification: printAttribute('classification', classification) } }),
      add: { version: 1 },
      when: compareTo('wanted', '=', 0),
    };
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const node = await this.markSeen(certname, 'production', at);
      if (node.wanted > 0) {
        const wanted = await this.want(certname, reason, at, { asked: true, classification, expected: node.wanted });
        if (wanted) return wanted;
        continue;
      }
      const item = await this.#table.update({ certname }, update);
      if (item) return { ...parseNodeItem(item), isJobDue: false, isUpgrade: false };
    }
    throw this.#contended(certname);
  }

  #contended(certname: string): StoreUnavailable {
    return new StoreUnavailable(`table ${this.#table.name}: ${certname} keeps changing concurrently`);
  }

  async ask(
    certname: string,
    generation: number,
    at: number,
    unlessSince: number,
    waiting = false,
  ): Promise<JobClaim | null> {
    const overtakes = anyOf(attributeNotExists('askedWaiting'), compareTo('askedWaiting', '<', 1));
    const update = {
      set: { askedGeneration: generation, askedAt: at, touchedAt: at, askedWaiting: waiting ? 1 : 0 },
      when: allOf(
        attributeExists('certname'),
        anyOf(
          compareTo('askedGeneration', '<', generation),
          compareTo('askedAt', '<', unlessSince),
          waiting ? overtakes : undefined,
        ),
      ),
    };
    const before = await this.#table.update({ certname }, update, 'ALL_OLD');
    return before && parseClaim(before);
  }

  async unask(certname: string, generation: number): Promise<void> {
    const update = { set: { askedAt: 0, touchedAt: 0 }, when: compareTo('askedGeneration', '=', generation) };
    await this.#table.update({ certname }, update);
  }

  async demote(certname: string, generation: number): Promise<boolean> {
    const when = allOf(
      compareTo('built', '<', generation),
      compareTo('started', '<', generation),
      compareTo('askedWaiting', '=', 1),
    );
    return (await this.#table.update({ certname }, { set: { askedWaiting: 0 }, when })) !== null;
  }

  async lease(certname: string, at: number, until: number, holder: string | null): Promise<LeaseClaim> {
    const isFree = anyOf(
      attributeNotExists('leasedUntil'),
      compareTo('leasedUntil', '<=', at),
      // Null equals null in DynamoDB.
      holder === null ? undefined : compareTo('leasedBy', '=', holder),
    );
    const update = {
      set: { leasedUntil: until, leasedBy: holder, ...START },
      when: allOf(compareTo('built', '<', attribute('wanted')), isFree),
    };
    const leased = await this.#table.update({ certname }, update);
    if (leased) return { node: parseNodeItem(leased) };
    const item = await this.#table.get({ certname });
    if (!item || readNumber(item, 'built') >= readNumber(item, 'wanted')) return 'built';
    // Another process may have released the lease meanwhile.
    return { heldUntil: Number(item.leasedUntil ?? 0) };
  }

  async finishRound(certname: string, until: number): Promise<NodeRecord | null> {
    const isHeld = compareTo('leasedUntil', '=', until);
    const isBuilt = compareTo('built', '>=', attribute('wanted'));
    if (await this.#table.update({ certname }, { remove: ['leasedUntil'], when: allOf(isHeld, isBuilt) })) return null;
    const item = await this.#table.update({ certname }, { set: START, when: isHeld });
    return item && parseNodeItem(item);
  }

  async release(certname: string, until: number): Promise<void> {
    await this.#table.update({ certname }, { remove: ['leasedUntil'], when: compareTo('leasedUntil', '=', until) });
  }

  async endLease(certname: string, holder: string): Promise<void> {
    const isHeld = allOf(attributeExists('leasedUntil'), compareTo('leasedBy', '=', holder));
    const isBuilt = compareTo('built', '>=', attribute('wanted'));
    await this.#table.update({ certname }, { remove: ['leasedUntil'], when: allOf(isHeld, isBuilt) });
  }

  async factsStored(certname: string, facts: FactsPointer, version?: number): Promise<boolean> {
    const when = version === undefined ? attributeExists('certname') : compareTo('version', '=', version);
    const update = { set: { facts: printAttribute('facts', facts) }, add: { version: 1 }, when };
    return (await this.#table.update({ certname }, update)) !== null;
  }

  async noteGrouping(certname: string, grouping: Grouping, version: number): Promise<boolean> {
    const update = { set: { grouping: pack(grouping) }, add: { version: 1 }, when: compareTo('version', '=', version) };
    return (await this.#table.update({ certname }, update)) !== null;
  }

  commit(commit: Commit): Promise<boolean> {
    const { certname, generation, catalog, failure, inputs, replaces, facts, revision = null, at } = commit;
    return this.#advance({
      certname,
      generation,
      revision,
      built: '<',
      set: {
        inputs: pack(inputs),
        dependencySet: inputs.dependencies.set,
        membership: inputs.dependencies.membership,
        checkedFacts: facts ?? undefined,
        ringPosition: at,
        catalog: catalog ? printAttribute('catalog', catalog) : undefined,
        failure: failure ? printAttribute('failure', failure) : undefined,
      },
      add: { compiles: 1 },
      remove: [...(failure ? [] : ['failure']), ...(facts ? [] : ['checkedFacts'])],
      when: replaces === undefined ? undefined : compareTo('membership', '=', replaces),
    });
  }

  markVerified(
    certname: string,
    generation: number,
    at: number,
    { built, facts, revision = null }: Verification = {},
  ): Promise<boolean> {
    const change = {
      set: { ringPosition: at, checkedFacts: facts ?? undefined },
      add: { verifications: 1 },
      remove: facts === null ? ['checkedFacts'] : [],
      when: built === undefined ? undefined : compareTo('built', '=', built),
    };
    return this.#advance({ certname, generation, revision, built: '<=', ...change });
  }

  listRing(limit: number, before: number): Promise<readonly NodeRecord[]> {
    return this.#listOldest('ring', 'ringPosition', limit, before);
  }

  async moveToRingEnd(certname: string, ringPosition: number, at: number): Promise<boolean> {
    const update = { set: { ringPosition: at }, when: compareTo('ringPosition', '=', ringPosition) };
    return (await this.#table.update({ certname }, update)) !== null;
  }

  listOutstanding(before: number, limit: number): Promise<readonly NodeRecord[]> {
    return this.#listOldest('outstanding', 'touchedAt', limit, before);
  }

  async list(after: string | null, limit: number): Promise<readonly NodeRecord[]> {
    return (await this.#table.scan(limit, after === null ? undefined : { certname: after })).map(parseNodeItem);
  }

  async listCatalogs(after: string | null, limit: number): Promise<CatalogPage> {
    const start = after === null ? undefined : { certname: after };
    const items = await this.#table.scan(limit, start, ['certname', 'catalog', 'facts'], true);
    return {
      catalogs: items.flatMap((item) => readJson<CatalogPointer>(item, 'catalog') ?? []),
      facts: items.flatMap((item) => {
        const facts = readJson<FactsPointer>(item, 'facts');
        return facts === null ? [] : [{ ...facts, certname: readText(item, 'certname') }];
      }),
      next: items.length < limit ? null : String(items.at(-1)?.certname),
    };
  }

  async listGroupings(after: string | null, limit: number): Promise<readonly GroupedNode[]> {
    const start = after === null ? undefined : { certname: after };
    const items = await this.#table.scan(limit, start, [
      'certname',
      'wanted',
      'version',
      'grouping',
      'facts',
      'classification',
    ]);
    return items.map((item) => ({
      certname: readText(item, 'certname'),
      wanted: readNumber(item, 'wanted'),
      version: readNumber(item, 'version'),
      grouping: unpack<Grouping>(item, 'grouping'),
      facts: readJson<FactsPointer>(item, 'facts'),
      isPushed: item.classification !== undefined,
    }));
  }

  async listSummaries(after: string | null, limit: number): Promise<readonly NodeSummary[]> {
    const start = after === null ? undefined : { certname: after };
    const items = await this.#table.scan(limit, start, SUMMARY_ATTRIBUTES);
    return items.map(parseSummary);
  }

  async getSummaries(certnames: readonly string[]): Promise<readonly NodeSummary[]> {
    const keys = certnames.map((certname) => ({ certname }));
    return (await this.#table.batchGet(keys, SUMMARY_ATTRIBUTES)).map(parseSummary);
  }

  async listMarks(index: 'ring' | 'outstanding', since: number, limit: number): Promise<NodeMarks> {
    const position = index === 'ring' ? 'ringPosition' : 'touchedAt';
    const share = 2 * Math.ceil(limit / shardNames().length) + 8;
    const shards = shardNames().map(async (shard) => {
      const where = allOf(compareTo(index, '=', shard), compareTo(position, '>=', since));
      const items = await this.#table.query({ where, index, limit: share });
      return items.map((item) => ({ certname: readText(item, 'certname'), at: readNumber(item, position) }));
    });
    const found = await Promise.all(shards);
    // Behind the last one of a shard that was cut off, others of that shard may be missing.
    const ends = found.flatMap((marks) => (marks.length < share ? [] : [marks.at(-1)?.at ?? since]));
    const end = Math.min(Number.POSITIVE_INFINITY, ...ends);
    const complete = found.flat().filter(({ at }) => at <= end);
    complete.sort((a, b) => a.at - b.at || (a.certname < b.certname ? -1 : 1));
    return { marks: complete.slice(0, limit), hasMore: ends.length > 0 || complete.length > limit };
  }

  async listOutstandingNames(limit: number): Promise<readonly string[]> {
    const share = Math.min(limit, 2 * Math.ceil(limit / shardNames().length) + 8);
    const shards = shardNames().map((shard) =>
      this.#table.query({ where: compareTo('outstanding', '=', shard), index: 'outstanding', limit: share }),
    );
    return (await Promise.all(shards))
      .flat()
      .map((item) => readText(item, 'certname'))
      .slice(0, limit);
  }

  async getCounts(): Promise<NodeCounts> {
    const shards = shardNames().map((shard) =>
      this.#table.count({ where: compareTo('outstanding', '=', shard), index: 'outstanding', limit: MOST_COUNTED }),
    );
    const [nodes, ...outstanding] = await Promise.all([this.#countItems(), ...shards]);
    return { nodes, outstanding: outstanding.reduce((sum, count) => sum + count, 0) };
  }

  async delete(certname: string): Promise<void> {
    await this.#table.delete({ certname });
  }

  /**
   * Sets `built` in one conditional write. The `outstanding` mark is removed only when nothing more
   * is wanted, which needs a stricter condition. When that condition fails, the write is retried
   * without removing the mark.
   */
  async #advance({
    certname,
    generation,
    revision,
    built,
    set,
    remove = [],
    when,
    ...change
  }: Advance): Promise<boolean> {
    const attempt = async (removed: readonly string[], wanted: '=' | '>') => {
      const update = {
        ...change,
        set: { ...set, built: generation, revision: revision ?? undefined },
        remove: revision === null ? [...removed, 'revision'] : removed,
        when: allOf(
          attributeExists('certname'),
          compareTo('built', built, generation),
          compareTo('wanted', wanted, generation),
          when,
        ),
      };
      return (await this.#table.update({ certname }, update)) !== null;
    };
    return (await attempt([...remove, 'outstanding'], '=')) || (await attempt(remove, '>'));
  }

  /**
   * Reads the certnames from the index, then the records from the table, so that they are current.
   */
  async #listOldest(
    index: 'ring' | 'outstanding',
    position: 'ringPosition' | 'touchedAt',
    limit: number,
    before: number,
  ): Promise<readonly NodeRecord[]> {
    // Twice the fair share of each shard: the digests of certnames spread evenly.
    const share = Math.min(limit, 2 * Math.ceil(limit / shardNames().length) + 8);
    const shards = shardNames().map((shard) => {
      const where = allOf(compareTo(index, '=', shard), compareTo(position, '<', before));
      return this.#table.query({ where, index, limit: share });
    });
    const found = (await Promise.all(shards)).flat();
    found.sort(
      (a, b) => readNumber(a, position) - readNumber(b, position) || (String(a.certname) < String(b.certname) ? -1 : 1),
    );
    const order = found.slice(0, limit).map(({ certname }) => certname);
    const items = await this.#table.batchGet(order.map((certname) => ({ certname })));
    const present = new Map(items.map((item) => [item.certname, item]));
    const stands = (item: Item) =>
      readNumber(item, position) < before &&
      (index === 'ring' || readNumber(item, 'built') < readNumber(item, 'wanted'));
    return order.flatMap((certname) => {
      const item = present.get(certname);
      return item && stands(item) ? [parseNodeItem(item)] : [];
    });
  }

  async #trimReasons(item: Item): Promise<void> {
    const { certname, reasons, wanted } = item;
    if (!Array.isArray(reasons) || reasons.length <= 2 * MOST_REASONS) return;
    const when = compareTo('wanted', '=', wanted);
    await this.#table.update({ certname }, { set: { reasons: limitReasons(reasons) }, when });
  }
}

function parseSummary(item: Item): NodeSummary {
  return summarizeNode({
    certname: readText(item, 'certname'),
    environment: readText(item, 'environment'),
    wanted: readNumber(item, 'wanted'),
    built: readNumber(item, 'built'),
    lastSeen: readNumber(item, 'lastSeen'),
    catalog: readJson<CatalogPointer>(item, 'catalog'),
    failure: readJson<FailureRecord>(item, 'failure'),
    inputs: unpack<InputSummary>(item, 'inputs'),
  });
}

/** The update of an idle node without a lease that was not invalidated for the revision yet. */
function wantOfIdle(certname: string, reason: string, at: number, change: WantChange): Update {
  const { asked, waiting = false, expected, version, revision } = change;
  return {
    ...changesOf(reason, change),
    set: {
      ...changesOf(reason, change).set,
      wantedAt: at,
      touchedAt: at,
      outstanding: shardOf(certname),
      ...(asked && { askedGeneration: attribute('wanted', 1), askedAt: at, askedWaiting: waiting ? 1 : 0 }),
    },
    add: { wanted: 1, version: 1 },
    when: allOf(
      attributeExists('certname'),
      compareTo('built', '>=', attribute('wanted')),
      anyOf(attributeNotExists('leasedUntil'), compareTo('leasedUntil', '<=', at)),
      expected === undefined ? undefined : compareTo('wanted', '=', expected),
      version === undefined ? undefined : compareTo('version', '=', version),
      revision === undefined
        ? undefined
        : anyOf(attributeNotExists('invalidatedFor'), compareTo('invalidatedFor', '<>', revision)),
    ),
  };
}

/** The update that a plan makes, unless the state that it was made for changed meanwhile. */
function wantAsPlanned(
  item: Item,
  { wanted, asked, isJobDue }: WantPlan,
  reason: string,
  at: number,
  change: WantChange,
): Update {
  const isRaised = wanted > readNumber(item, 'wanted');
  const { version } = change;
  const seen = ['wanted', 'started', 'built', 'askedGeneration', 'askedAt', 'askedWaiting', 'leasedUntil'];
  const same = seen.map((name) =>
    item[name] === undefined ? attributeNotExists(name) : compareTo(name, '=', item[name]),
  );
  return {
    ...changesOf(reason, change),
    set: {
      ...changesOf(reason, change).set,
      wanted,
      ...(isRaised && { wantedAt: at, outstanding: shardOf(readText(item, 'certname')) }),
      ...((isRaised || isJobDue) && { touchedAt: at }),
      askedGeneration: asked.generation,
      askedAt: asked.at,
      askedWaiting: asked.waiting ? 1 : 0,
    },
    add: { version: 1 },
    when: allOf(...same, version === undefined ? undefined : compareTo('version', '=', version)),
  };
}

/** Changes of the record by a reason, in either case. */
function changesOf(reason: string, change: WantChange) {
  const { environment, facts, classification, grouping, external, revision } = change;
  return {
    set: {
      environment,
      facts: facts && printAttribute('facts', facts),
      classification: classification ? printAttribute('classification', classification) : undefined,
      grouping: grouping ? pack(grouping) : undefined,
      external: external ? printAttribute('external', external) : undefined,
      invalidatedFor: revision,
    },
    append: { reasons: [shortReason(reason)] },
    remove: [
      ...(classification === null ? ['classification'] : []),
      ...(grouping === null ? ['grouping'] : []),
      ...(external === null ? ['external'] : []),
    ],
  };
}
