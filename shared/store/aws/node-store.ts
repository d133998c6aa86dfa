import type { DependencyRegistration } from '../ports/dependency-set.ts';
import type { Classification, FactsPointer, NodeRecord } from '../ports/node-record.ts';
import type { Commit, LeaseClaim, NodeCounts, NodeStore, WantChange } from '../ports/node-store.ts';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { limitReasons, MOST_REASONS, shortReason } from '../reasons.ts';
import { pack, readNumber } from './attributes.ts';
import type { AwsDependencyIndex } from './dependency-index.ts';
import { parseNodeItem, shardNames, shardOf } from './node-item.ts';
import type { Item, Table } from './table.ts';

/** An update of one node. `:built` and `:generation` of the conditions are its generation. */
interface Advance {
  readonly certname: string;
  readonly generation: number;
  readonly set: string;
  readonly remove?: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** `<` or `<=`: how `built` must compare to the generation. */
  readonly built: '<' | '<=';
}

const MOST_ATTEMPTS = 8;

export class AwsNodeStore implements NodeStore {
  readonly #table: Table;
  readonly #dependencies: AwsDependencyIndex;
  readonly #countItems: () => Promise<number>;

  /** `countItems` answers the table's size, which may be hours old. */
  constructor(table: Table, dependencies: AwsDependencyIndex, countItems: () => Promise<number>) {
    this.#table = table;
    this.#dependencies = dependencies;
    this.#countItems = countItems;
  }

  async get(certname: string): Promise<NodeRecord | null> {
    const item = await this.#table.get({ certname });
    return item && parseNodeItem(item);
  }

  async markSeen(certname: string, environment: string, at: number): Promise<NodeRecord> {
    const zero = ['wanted', 'built', 'askedGeneration', 'askedAt', 'compiles', 'verifications'];
    const start = ['wantedAt', 'touchedAt', 'ringPosition'];
    const initial = (names: readonly string[], value: string) =>
      names.map((name) => `#${name} = if_not_exists(#${name}, ${value})`);
    const item = await this.#table.update(
      { certname },
      {
        text: `SET ${[
          ...initial(zero, ':zero'),
          ...initial(start, ':at'),
          ...initial(['environment'], ':environment'),
          ...initial(['ring'], ':shard'),
          ...initial(['reasons'], ':none'),
          '#lastSeen = :at',
        ].join(', ')}`,
        values: { ':zero': 0, ':at': at, ':environment': environment, ':shard': shardOf(certname), ':none': [] },
      },
    );
    return parseNodeItem(item ?? {});
  }

  async want(certname: string, reason: string, at: number, change: WantChange): Promise<NodeRecord | null> {
    const { environment, facts, classification, asked, waiting = false, expected } = change;
    const sets = [
      '#wanted = #wanted + :one, #reasons = list_append(#reasons, :reason)',
      '#wantedAt = :at, #touchedAt = :at, #outstanding = :shard',
      ...(environment === undefined ? [] : ['#environment = :environment']),
      ...(facts === undefined ? [] : ['#facts = :facts']),
      ...(classification ? ['#classification = :classification'] : []),
      ...(asked ? ['#askedGeneration = #wanted + :one, #askedAt = :at, #askedWaiting = :waiting'] : []),
    ];
    const item = await this.#table.update(
      { certname },
      {
        text: `SET ${sets.join(', ')}${classification === null ? ' REMOVE #classification' : ''}`,
        values: {
          ':one': 1,
          ':reason': [shortReason(reason)],
          ':at': at,
          ':shard': shardOf(certname),
          ...(classification ? { ':classification': JSON.stringify(classification) } : {}),
          ...(asked ? { ':waiting': waiting ? 1 : 0 } : {}),
          ...(environment === undefined ? {} : { ':environment': environment }),
          ...(facts === undefined ? {} : { ':facts': JSON.stringify(facts) }),
          ...(expected === undefined ? {} : { ':expected': expected }),
        },
      },
      `attribute_exists(#certname)${expected === undefined ? '' : ' AND #wanted = :expected'}`,
    );
    if (item) await this.#trimReasons(item);
    return item && parseNodeItem(item);
  }

  async classify(
    certname: string,
    classification: Classification | null,
    reason: string,
    at: number,
  ): Promise<NodeRecord> {
    const update = {
      text: classification === null ? 'REMOVE #classification' : 'SET #classification = :classification',
      values: classification === null ? {} : { ':classification': JSON.stringify(classification) },
    };
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const node = await this.markSeen(certname, 'production', at);
      if (node.wanted > 0) {
        const wanted = await this.want(certname, reason, at, { asked: true, classification, expected: node.wanted });
        if (wanted) return wanted;
        continue;
      }
      const values = { ...update.values, ':none': 0 };
      const item = await this.#table.update({ certname }, { ...update, values }, '#wanted = :none');
      if (item) return parseNodeItem(item);
    }
    throw new StoreUnavailable(`table ${this.#table.name}: ${certname} is written by others all the time`);
  }

  async ask(certname: string, generation: number, at: number, unlessSince: number, waiting = false): Promise<boolean> {
    const item = await this.#table.update(
      { certname },
      {
        text: 'SET #askedGeneration = :generation, #askedAt = :at, #touchedAt = :at, #askedWaiting = :waiting',
        values: { ':generation': generation, ':at': at, ':since': unlessSince, ':waiting': waiting ? 1 : 0 },
      },
      `attribute_exists(#certname) AND (#askedGeneration < :generation OR #askedAt < :since${waiting ? ' OR attribute_not_exists(#askedWaiting) OR #askedWaiting < :waiting' : ''})`,
    );
    return item !== null;
  }

  async lease(
    certname: string,
    generation: number,
    at: number,
    until: number,
    holder: string | null,
  ): Promise<LeaseClaim> {
    const update = {
      text: 'SET #leasedUntil = :until, #leasedBy = :holder',
      values: { ':until': until, ':generation': generation, ':at': at, ':holder': holder },
    };
    // Null equals null in DynamoDB.
    const own = holder === null ? '' : ' OR #leasedBy = :holder';
    const free = `(attribute_not_exists(#leasedUntil) OR #leasedUntil <= :at${own})`;
    if (await this.#table.update({ certname }, update, `#built < :generation AND ${free}`)) return 'claimed';
    const item = await this.#table.get({ certname });
    if (!item || readNumber(item, 'built') >= generation) return 'built';
    // It may have been given back meanwhile.
    return { heldUntil: Number(item.leasedUntil ?? 0) };
  }

  async release(certname: string, until: number, regardless: boolean): Promise<boolean> {
    const update = { text: 'REMOVE #leasedUntil', values: { ':until': until } };
    const condition = `#leasedUntil = :until${regardless ? '' : ' AND #built >= #wanted'}`;
    if (await this.#table.update({ certname }, update, condition)) return true;
    return (await this.#table.get({ certname }))?.leasedUntil !== until;
  }

  async factsStored(certname: string, facts: FactsPointer): Promise<void> {
    const update = { text: 'SET #facts = :facts', values: { ':facts': JSON.stringify(facts) } };
    await this.#table.update({ certname }, update, 'attribute_exists(#certname)');
  }

  register(registration: DependencyRegistration): Promise<void> {
    return this.#dependencies.register(registration);
  }

  commit({ certname, generation, catalog, failure, inputs, at }: Commit): Promise<boolean> {
    const sets = [
      '#inputs = :inputs, #dependencySet = :set, #ringPosition = :at, #compiles = #compiles + :one',
      ...(catalog ? ['#catalog = :catalog'] : []),
      ...(failure ? ['#failure = :failure'] : []),
    ];
    return this.#advance({
      certname,
      generation,
      built: '<',
      set: sets.join(', '),
      ...(failure ? {} : { remove: '#failure' }),
      values: {
        ':inputs': pack(inputs),
        ':set': inputs.dependencySet,
        ':at': at,
        ':one': 1,
        ...(catalog ? { ':catalog': JSON.stringify(catalog) } : {}),
        ...(failure ? { ':failure': JSON.stringify(failure) } : {}),
      },
    });
  }

  markVerified(certname: string, generation: number, at: number): Promise<boolean> {
    const set = '#ringPosition = :at, #verifications = #verifications + :one';
    return this.#advance({ certname, generation, built: '<=', set, values: { ':at': at, ':one': 1 } });
  }

  findDependants(environment: string, paths: readonly string[]): Promise<readonly string[]> {
    return this.#dependencies.findDependants(environment, paths);
  }

  listRing(limit: number, before: number): Promise<readonly NodeRecord[]> {
    return this.#listOldest('ring', 'ringPosition', limit, before);
  }

  async moveToRingEnd(certname: string, ringPosition: number, at: number): Promise<boolean> {
    const update = { text: 'SET #ringPosition = :at', values: { ':at': at, ':was': ringPosition } };
    return (await this.#table.update({ certname }, update, '#ringPosition = :was')) !== null;
  }

  listOutstanding(before: number, limit: number): Promise<readonly NodeRecord[]> {
    return this.#listOldest('outstanding', 'touchedAt', limit, before);
  }

  async list(after: string | null, limit: number): Promise<readonly NodeRecord[]> {
    return (await this.#table.scan(limit, after === null ? undefined : { certname: after })).map(parseNodeItem);
  }

  async getCounts(): Promise<NodeCounts> {
    const shards = shardNames().map((shard) =>
      this.#table.count({ text: '#outstanding = :shard', values: { ':shard': shard }, index: 'outstanding' }),
    );
    const [nodes, ...outstanding] = await Promise.all([this.#countItems(), ...shards]);
    return { nodes, outstanding: outstanding.reduce((sum, count) => sum + count, 0) };
  }

  async delete(certname: string): Promise<void> {
    const item = await this.#table.get({ certname });
    await this.#table.delete({ certname });
    const inputs = item && parseNodeItem(item).inputs;
    if (inputs) await this.#dependencies.forget(certname, inputs.environment, inputs.dependencySet);
  }

  /**
   * Sets `built` in one conditional write. The mark of outstanding nodes goes only when nothing
   * more is wanted, which is another condition: when that one does not hold the write is tried
   * without.
   */
  async #advance({ certname, generation, set, remove, values, built }: Advance): Promise<boolean> {
    const attempt = async (removed: readonly string[], condition: string) => {
      const removes = removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`;
      const update = {
        text: `SET #built = :generation, ${set}${removes}`,
        values: { ...values, ':generation': generation },
      };
      const exists = `attribute_exists(#certname) AND #built ${built} :generation AND ${condition}`;
      return (await this.#table.update({ certname }, update, exists)) !== null;
    };
    const removed = remove === undefined ? [] : [remove];
    return (
      (await attempt([...removed, '#outstanding'], '#wanted = :generation')) ||
      (await attempt(removed, '#wanted > :generation'))
    );
  }

  /**
   * The index says who; the records themselves are read from the table, so that they are as of now.
   */
  async #listOldest(
    index: 'ring' | 'outstanding',
    position: 'ringPosition' | 'touchedAt',
    limit: number,
    before: number,
  ): Promise<readonly NodeRecord[]> {
    const shards = shardNames().map((shard) => {
      const text = `#${index} = :shard AND #${position} < :before`;
      return this.#table.query({ text, values: { ':shard': shard, ':before': before }, index, limit });
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
    const values = { ':reasons': limitReasons(reasons), ':wanted': wanted };
    await this.#table.update({ certname }, { text: 'SET #reasons = :reasons', values }, '#wanted = :wanted');
  }
}
