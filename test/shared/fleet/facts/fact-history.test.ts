import { describe, expect, it } from 'vitest';
import {
  addFactChanges,
  deleteFactChanges,
  type FactChange,
  listFactChanges,
  readFactChanges,
} from '../../../../shared/fleet/facts/fact-history.ts';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

const AT = 1_800_000_000_000;
const NODE = 'web01.example.com';

function factsOf(values: object): PuppetHash {
  const facts = parseJson(JSON.stringify(values));
  if (facts instanceof PuppetHash) return facts;
  throw new Error('no facts');
}

const list = (before: object, after: object, moving: readonly string[] = []) =>
  listFactChanges(factsOf(before), factsOf(after), AT, (name) => moving.includes(name));
const change = (path: string, from: string | null, to: string | null, at = AT): FactChange => ({ at, path, from, to });

describe('the changes between two sets of facts', () => {
  it.each([
    ['an equal fact', { kernel: 'Linux' }, { kernel: 'Linux' }, []],
    ['another value', { kernel: 'Linux' }, { kernel: 'BSD' }, [change('kernel', '"Linux"', '"BSD"')]],
    ['a new fact', {}, { cores: 4 }, [change('cores', null, '4')]],
    ['a fact that is gone', { cores: 4 }, {}, [change('cores', '4', null)]],
    [
      'a part of a structured fact',
      { os: { family: 'Debian', release: { major: '12', minor: '4' } } },
      { os: { family: 'Debian', release: { major: '13', minor: '4' } } },
      [change('os.release.major', '"12"', '"13"')],
    ],
    ['an array as one value', { dns: ['a', 'b'] }, { dns: ['b'] }, [change('dns', '["a","b"]', '["b"]')]],
    [
      'no part that changes at each run',
      { memory: { system: { used: '1 GiB', total: '4 GiB' } } },
      { memory: { system: { used: '2 GiB', total: '8 GiB' } } },
      [change('memory.system.total', '"4 GiB"', '"8 GiB"')],
    ],
    [
      'a long value shortened',
      { note: 'x' },
      { note: 'y'.repeat(400) },
      [change('note', '"x"', `"${'y'.repeat(198)}…`)],
    ],
  ])('has %s', async (_, before, after, expected) => {
    expect(await list(before, after)).toEqual(expected);
  });

  it('leaves out facts that change at each run', async () => {
    expect(await list({ load: 1, kernel: 'a' }, { load: 2, kernel: 'b' }, ['load'])).toEqual([
      change('kernel', '"a"', '"b"'),
    ]);
  });

  it('has at most forty', async () => {
    const many = (value: number) => Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`fact${at}`, value]));
    expect(await list(many(1), many(2))).toHaveLength(40);
  });
});

describe('the changes of a node', () => {
  it('are kept newest first, each once, and at most a hundred', async () => {
    const documents = new MemoryDocuments();
    const first = change('kernel', '"a"', '"b"', AT);
    await addFactChanges(documents, NODE, [first]);
    await addFactChanges(documents, NODE, [{ ...first, at: AT + 1 }]);
    expect(await readFactChanges(documents, NODE)).toEqual([first]);
    const back = change('kernel', '"b"', '"a"', AT + 2);
    await addFactChanges(documents, NODE, [back]);
    await addFactChanges(documents, NODE, [{ ...first, at: AT + 3 }]);
    expect(await readFactChanges(documents, NODE)).toEqual([{ ...first, at: AT + 3 }, back, first]);
    for (let turn = 0; turn < 110; turn += 1) {
      await addFactChanges(documents, NODE, [change(`fact${turn}`, null, '1', AT + 4 + turn)]);
    }
    const kept = await readFactChanges(documents, NODE);
    expect([kept.length, kept[0]?.path, kept.at(-1)?.path]).toEqual([100, 'fact109', 'fact10']);
  });

  it('are those of the node alone, and go with it', async () => {
    const documents = new MemoryDocuments();
    await addFactChanges(documents, NODE, [change('kernel', '"a"', '"b"')]);
    expect(await readFactChanges(documents, 'db01.example.com')).toEqual([]);
    await deleteFactChanges(documents, NODE);
    expect(await readFactChanges(documents, NODE)).toEqual([]);
  });

  it('leave out what is no change', async () => {
    const documents = new MemoryDocuments();
    const good = change('kernel', '"a"', '"b"');
    await documents.put('fact-history', NODE, { changes: [null, 5, { path: 'x' }, { ...good, to: 5 }, good] });
    expect(await readFactChanges(documents, NODE)).toEqual([good]);
    await documents.put('fact-history', NODE, { changes: 'none' });
    expect(await readFactChanges(documents, NODE)).toEqual([]);
  });
});
