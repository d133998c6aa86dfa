import { expect, it } from 'vitest';
import { pack, printAttribute, readJson, unpack } from '../../../../shared/store/aws/attributes.ts';
import type { Item } from '../../../../shared/store/aws/table.ts';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import { damage, TRIES } from '../../../helpers/damage.ts';

const DATA = { classes: { 'role::web': {} }, text: 'größer   ', list: [1, 2, 3] };
const KEYS: readonly (readonly [shown: string, key: Item])[] = [
  ["'web01' in the table of nodes", { certname: 'web01' }],
  ["'#job, 7' in the table of jobs", { ledger: '#job', item: '7' }],
  ["'node-groups, head' in the table of documents", { collection: 'node-groups', key: 'head' }],
  ["'production' in the table of environments", { name: 'production' }],
];

function refusal(shown: string): StoreRefused {
  return new StoreRefused(`the attribute data of ${shown} is damaged: restore the table (infra/README.md, "Restore")`);
}

it.each(KEYS)('names %s when JSON is damaged', (shown, key) => {
  const text = printAttribute('data', DATA);
  expect(readJson({ ...key, data: text }, 'data')).toEqual(DATA);
  expect(() => readJson({ ...key, data: printAttribute('other', DATA) }, 'data')).toThrow(refusal(shown));
  const bytes = Buffer.from(text);
  for (const changed of damage(bytes, TRIES || 200, 19)) {
    try {
      expect(readJson({ ...key, data: changed.toString() }, 'data')).toEqual(DATA);
      // The checksum was cut off, or nothing changed.
      expect(text.startsWith(changed.toString())).toBe(true);
    } catch (error) {
      expect(error).toEqual(refusal(shown));
    }
  }
});

it.each(KEYS)('names %s when a packed value is damaged', (shown, key) => {
  const bytes = Buffer.from(pack(DATA));
  for (const changed of damage(bytes, TRIES || 200, 23)) {
    try {
      expect(unpack({ ...key, data: changed }, 'data')).toEqual(DATA);
    } catch (error) {
      expect(error).toEqual(refusal(shown));
    }
  }
});

it('quotes nothing of a damaged attribute', () => {
  const read = () => readJson({ certname: 'web01', data: 'secret' }, 'data');
  expect(read).toThrow(expect.objectContaining({ cause: undefined }));
});

it('reads what has its checksum elsewhere, and prints JSON', () => {
  expect(readJson({ certname: 'a', data: JSON.stringify(DATA) }, 'data')).toEqual(DATA);
  expect(JSON.parse(printAttribute('data', DATA))).toEqual(DATA);
  expect([readJson({}, 'data'), unpack({}, 'data')]).toEqual([null, null]);
});
