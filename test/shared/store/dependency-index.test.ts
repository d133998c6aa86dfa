import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DependencyIndex,
  type DependencySet,
  MEMBER_SHARDS,
  type Observations,
  type Part,
} from '../../../shared/store/ports/dependency-index.ts';
import type { InputSummary } from '../../../shared/store/ports/node-record.ts';
import type { NodeStore } from '../../../shared/store/ports/node-store.ts';
import { digestSha256 } from '../../../shared/util/digest.ts';
import { NO_INPUTS } from '../../helpers/no-inputs.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const ENVIRONMENT = 'production';
const LATER = 1_000_000;

const observe = (...contents: string[]): Observations => ({ contents, kinds: [], keys: {} });

function partOf(name: string, ...contents: string[]): Part {
  return { id: digestSha256(`part ${name} ${contents.join(' ')}`), name, observations: observe(...contents) };
}

function setOf(...parts: Part[]): DependencySet {
  return { environment: ENVIRONMENT, id: digestSha256(`set ${parts.map(({ id }) => id).join('+')}`), parts };
}

describeStores('DependencyIndex', (open) => {
  let nodes: NodeStore;
  let index: DependencyIndex;
  let prefix: string;
  let count = 0;
  let tokens = 0;
  beforeAll(async () => {
    ({ nodes, dependencies: index } = await open());
  });
  beforeEach(() => {
    count += 1;
    prefix = `t${count}`;
  });

  const part = (name: string, ...contents: string[]) => partOf(`${prefix}/${name}`, ...contents);

  /** Registers a node with a set, as a compile at the next generation does. */
  async function register(certname: string, set: DependencySet, ownPaths: readonly string[] = []) {
    await nodes.markSeen(certname, ENVIRONMENT, 1);
    const node = await nodes.want(certname, 'x', 1, { asked: true });
    await nodes.lease(certname, 1, 2, certname);
    await nodes.release(certname, 2);
    const generation = node?.wanted ?? 0;
    tokens += 1;
    const token = `${certname} ${tokens}`;
    const { set: left, membership } = node?.inputs?.dependencies ?? {};
    const leaves = left && membership ? { environment: ENVIRONMENT, set: left, token: membership } : null;
    const joins = { set: set.id, token };
    const rest = { environment: ENVIRONMENT, joins, leaves, ownPaths, at: generation };
    if (!(await index.register({ certname, generation, ...rest }))) await index.define(set);
    return { certname, generation, token, set, leaves };
  }

  const commit = ({ certname, generation, token, set }: Awaited<ReturnType<typeof register>>) =>
    nodes.commit({ certname, generation, catalog: null, failure: null, inputs: inputsOf(set.id, token), at: 2 });

  async function compile(certname: string, set: DependencySet, ownPaths: readonly string[] = []) {
    expect(await commit(await register(certname, set, ownPaths))).toBe(true);
  }

  async function membersOf({ environment, id }: DependencySet, limit = 100): Promise<readonly string[]> {
    const found: string[] = [];
    for (let shard = 0; shard < MEMBER_SHARDS; shard += 1) {
      let after: string | null = null;
      do {
        const page = await index.listMembers(environment, id, shard, after, limit);
        found.push(...page.certnames);
        after = page.next;
      } while (after !== null);
    }
    return found.sort();
  }

  it('leads from the name of a part to its sets and their members, within an environment', async () => {
    const [one, two] = [part('one', 'a', 'b'), part('two', 'c')];
    await compile(`${prefix}-x`, setOf(one, two));
    await compile(`${prefix}-y`, setOf(one, two));
    await compile(`${prefix}-z`, setOf(two));
    expect(await index.findParts(ENVIRONMENT, [one.name])).toEqual([{ id: one.id, observations: one.observations }]);
    expect(await index.findParts('staging', [one.name])).toEqual([]);
    expect(await index.findParts(ENVIRONMENT, [`${prefix}/none`])).toEqual([]);
    expect(await index.findSets(ENVIRONMENT, new Set([one.id]))).toEqual([setOf(one, two).id]);
    const both = [setOf(one, two).id, setOf(two).id].sort();
    expect((await index.findSets(ENVIRONMENT, new Set([two.id]))).toSorted()).toEqual(both);
    expect(await index.findSets('staging', new Set([two.id]))).toEqual([]);
    expect(await index.findSets(ENVIRONMENT, new Set())).toEqual([]);
    expect(await membersOf(setOf(one, two))).toEqual([`${prefix}-x`, `${prefix}-y`]);
    expect(await membersOf(setOf(two))).toEqual([`${prefix}-z`]);
  });

  it('knows parts of one name with different observations', async () => {
    const [small, large] = [part('one', 'a'), part('one', 'a', 'b')];
    await compile(`${prefix}-x`, setOf(small));
    await compile(`${prefix}-y`, setOf(large));
    const found = await index.findParts(ENVIRONMENT, [small.name, small.name]);
    expect(found.map(({ id }) => id).sort()).toEqual([small.id, large.id].sort());
  });

  it('says whether a set is defined', async () => {
    const set = setOf(part('one', 'a'));
    const registration = (certname: string) => ({
      certname,
      generation: 1,
      environment: ENVIRONMENT,
      joins: { set: set.id, token: certname },
      leaves: null,
      ownPaths: [],
      at: 1,
    });
    expect(await index.register(registration(`${prefix}-x`))).toBe(false);
    expect(await index.register(registration(`${prefix}-y`))).toBe(false);
    await index.define(set);
    expect(await index.register(registration(`${prefix}-z`))).toBe(true);
  });

  it('counts a set that is registered and not committed yet', async () => {
    const [one, two] = [setOf(part('one', 'a')), setOf(part('two', 'b'))];
    await compile(prefix, one);
    const second = await register(prefix, two);
    expect([await membersOf(one), await membersOf(two)]).toEqual([[prefix], [prefix]]);
    await commit(second);
    expect([await membersOf(one), await membersOf(two)]).toEqual([[], [prefix]]);
    await compile(prefix, one);
    expect([await membersOf(one), await membersOf(two)]).toEqual([[prefix], []]);
  });

  it('lists members in pages', async () => {
    const set = setOf(part('one', 'a'));
    const names = Array.from({ length: 40 }, (_, n) => `${prefix}-${n}.example.com`).sort();
    for (const certname of names) await compile(certname, set);
    expect(await membersOf(set, 1)).toEqual(names);
    expect(await membersOf(set, 3)).toEqual(names);
    expect(await membersOf(set)).toEqual(names);
  });

  it('lists a member once whose earlier membership is listed, too', async () => {
    const [one, two] = [setOf(part('one', 'a')), setOf(part('two', 'b'))];
    await compile(prefix, one);
    await compile(prefix, two);
    await compile(prefix, one);
    expect(await membersOf(one)).toEqual([prefix]);
  });

  it('finds the owners of paths', async () => {
    const set = setOf(part('one', 'a'));
    await compile(`${prefix}-x`, set, [`${prefix}/x.yaml`, `${prefix}/${'long'.repeat(800)}`]);
    await compile(`${prefix}-y`, set, [`${prefix}/y.yaml`]);
    const find = (...paths: string[]) =>
      index.findOwners(
        ENVIRONMENT,
        paths.map((path) => `${prefix}/${path}`),
      );
    expect(await find('x.yaml')).toEqual([`${prefix}-x`]);
    expect(await find('none', 'y.yaml', 'x.yaml', 'x.yaml')).toEqual([`${prefix}-x`, `${prefix}-y`]);
    expect(await find('long'.repeat(800))).toEqual([`${prefix}-x`]);
    expect(await find()).toEqual([]);
    expect(await index.findOwners('staging', [`${prefix}/x.yaml`])).toEqual([]);
  });

  it('adds owned paths to a membership', async () => {
    const set = setOf(part('one', 'a'));
    await compile(prefix, set, [`${prefix}/1`]);
    const more = { certname: prefix, generation: 2, environment: ENVIRONMENT, joins: null, leaves: null, at: 1 };
    expect(await index.register({ ...more, ownPaths: [`${prefix}/2`] })).toBe(true);
    for (const path of ['1', '2']) expect(await index.findOwners(ENVIRONMENT, [`${prefix}/${path}`])).toEqual([prefix]);
  });

  it('takes thousands of observations', async () => {
    const paths = Array.from({ length: 5000 }, (_, n) => `modules/m/files/${n}`);
    const large = part('large', ...paths);
    await compile(prefix, setOf(large));
    expect(await index.findParts(ENVIRONMENT, [large.name])).toEqual([
      { id: large.id, observations: observe(...paths) },
    ]);
  });

  const retire = async (before: number, limit: number) => (await index.retire(before, limit)).registrations;

  describe('retired', () => {
    const names = async (...parts: Part[]) => {
      const found = await index.findParts(
        ENVIRONMENT,
        parts.map(({ name }) => name),
      );
      return found.map(({ id }) => id).sort();
    };
    const purge = async (certname: string, set: DependencySet, ownPaths: readonly string[] = []) => {
      const token = (await nodes.get(certname))?.inputs?.dependencies?.membership ?? '';
      await nodes.delete(certname);
      const leaves = { environment: ENVIRONMENT, set: set.id, token };
      await index.forget({ certname, environment: ENVIRONMENT, leaves, ownPaths, at: 5 });
    };
    beforeEach(async () => {
      while ((await retire(LATER, 100)) > 0);
    });

    it('are sets without members, and parts that no other set has', async () => {
      const [one, two, three] = [part('one', 'a'), part('two', 'b'), part('three', 'c')];
      await compile(prefix, setOf(one, two));
      await compile(prefix, setOf(two, three));
      expect(await names(one, two, three)).toEqual([one.id, three.id, two.id].sort());
      expect(await index.retire(LATER, 100)).toEqual({ registrations: 2, sets: [setOf(one, two).id] });
      expect(await names(one, two, three)).toEqual([three.id, two.id].sort());
      expect(await index.findSets(ENVIRONMENT, new Set([one.id, two.id]))).toEqual([setOf(two, three).id]);
      expect(await membersOf(setOf(two, three))).toEqual([prefix]);
      expect(await retire(LATER, 100)).toBe(0);
    });

    it('are no sets that have other members', async () => {
      const [one, two] = [setOf(part('one', 'a')), setOf(part('two', 'b'))];
      await compile(`${prefix}-x`, one);
      await compile(`${prefix}-y`, one);
      await compile(`${prefix}-x`, two);
      await index.retire(LATER, 100);
      expect([await membersOf(one), await membersOf(two)]).toEqual([[`${prefix}-y`], [`${prefix}-x`]]);
      expect(await names(part('one', 'a'))).toHaveLength(1);
    });

    it('is nothing that a compile may still commit', async () => {
      const [one, two] = [setOf(part('one', 'a')), setOf(part('two', 'b'))];
      await compile(prefix, one);
      const second = await register(prefix, two);
      expect(await retire(LATER, 100)).toBe(2);
      await commit(second);
      expect(await membersOf(two)).toEqual([prefix]);
    });

    it('is a membership whose compile was superseded', async () => {
      const [one, two] = [setOf(part('one', 'a')), setOf(part('two', 'b'))];
      await register(prefix, one);
      await compile(prefix, two);
      await index.retire(LATER, 100);
      expect(await index.findSets(ENVIRONMENT, new Set(one.parts.map(({ id }) => id)))).toEqual([]);
      expect(await membersOf(two)).toEqual([prefix]);
    });

    it('is what was left before a time, in batches', async () => {
      const sets = ['a', 'b', 'c'].map((path) => setOf(part(path, path)));
      for (const set of sets) await compile(prefix, set);
      expect(await retire(1, 100)).toBe(0);
      expect(await retire(3, 1)).toBe(1);
      expect(await retire(3, 1)).toBe(1);
      expect(await retire(3, 1)).toBe(0);
      expect(await retire(LATER, 1)).toBe(1);
    });

    it('are the rows of a purged node', async () => {
      const set = setOf(part('one', 'a'));
      await compile(prefix, set, [`${prefix}/own`]);
      await purge(prefix, set, [`${prefix}/own`]);
      await index.retire(LATER, 100);
      expect(await index.findOwners(ENVIRONMENT, [`${prefix}/own`])).toEqual([]);
      expect(await index.findSets(ENVIRONMENT, new Set(set.parts.map(({ id }) => id)))).toEqual([]);
    });

    it('are no rows of a node that was created again', async () => {
      const set = setOf(part('one', 'a'));
      await compile(prefix, set, [`${prefix}/own`]);
      await purge(prefix, set, [`${prefix}/own`]);
      await compile(prefix, set, [`${prefix}/own`]);
      await index.retire(LATER, 100);
      expect(await membersOf(set)).toEqual([prefix]);
      expect(await index.findOwners(ENVIRONMENT, [`${prefix}/own`])).toEqual([prefix]);
    });

    it('loses no member that registers meanwhile', async () => {
      const [shared, other] = [part('shared', 'a'), part('other', 'b')];
      for (let round = 0; round < 6; round += 1) {
        const old = `${prefix}-old-${round}`;
        await compile(old, setOf(shared));
        await compile(old, setOf(part(`next ${round}`, 'x')));
        const sets = [setOf(shared), setOf(shared, other)];
        await Promise.all([
          index.retire(LATER, 100),
          ...sets.map((set, n) => compile(`${prefix}-new-${round}-${n}`, set)),
        ]);
        expect(await names(shared, other)).toEqual([shared.id, other.id].sort());
        const found = await index.findSets(ENVIRONMENT, new Set([shared.id]));
        expect(found.toSorted()).toEqual(sets.map(({ id }) => id).sort());
        for (const [n, set] of sets.entries()) {
          expect(await membersOf(set)).toEqual([`${prefix}-new-${round}-${n}`]);
          await compile(`${prefix}-new-${round}-${n}`, setOf(part(`next ${round}`, 'x')));
        }
        await index.retire(LATER, 100);
      }
      expect(await index.findSets(ENVIRONMENT, new Set([shared.id]))).toEqual([]);
    });
  });

  describe('a commit that relies on a membership', () => {
    it('is made only while the record has it', async () => {
      const set = setOf(part('one', 'a'));
      await compile(prefix, set);
      const { inputs } = (await nodes.get(prefix)) ?? {};
      if (!inputs) throw new Error('no inputs');
      const commitOn = async (replaces: string) => {
        const node = await nodes.want(prefix, 'x', 1, { asked: true });
        const generation = node?.wanted ?? 0;
        return nodes.commit({ certname: prefix, generation, catalog: null, failure: null, inputs, replaces, at: 2 });
      };
      expect(await commitOn('another')).toBe(false);
      expect(await commitOn(inputs.dependencies?.membership ?? '')).toBe(true);
    });
  });
});

function inputsOf(set: string, membership: string): InputSummary {
  return {
    ...NO_INPUTS,
    environment: ENVIRONMENT,
    dependencies: { set, membership, own: observe(), states: '', codeId: null },
  };
}
