import { describe, expect, it } from 'vitest';
import { type ListColumn, type ListStyle, printList } from '../../../../shared/cli/client/list-table.ts';
import { formatAge } from '../../../../shared/cli/client/relative-time.ts';

interface Row {
  readonly id: string;
  readonly states: readonly string[];
  readonly at: number | null;
  readonly note: string;
}

const NOW = Date.parse('2026-11-23T10:00:00Z');
const COLUMNS: readonly ListColumn<Row>[] = [
  { name: 'code_id', kind: 'id', value: ({ id }) => id },
  { name: 'state', kind: 'state', value: ({ states }) => states },
  { name: 'seen', kind: 'time', value: ({ at }) => at },
  { name: 'note', isWide: true, value: ({ note }) => note },
];
const ROWS: readonly Row[] = [
  { id: '0123456789abcdef', states: ['failing', 'silent'], at: NOW - 3 * 3600_000, note: 'a\u001b[2Jb' },
  { id: 'f'.repeat(16), states: ['other'], at: null, note: '' },
];
const STYLE: ListStyle = { format: 'text', wide: false, now: NOW, hasColors: false, empty: 'There is none.' };

describe('a list', () => {
  it('has aligned columns, short ids and relative times', () => {
    expect(printList(ROWS, COLUMNS, STYLE)).toBe(
      'CODE ID       STATE           SEEN\n' +
        '0123456789ab  failing,silent  3 h ago\n' +
        'ffffffffffff  other           -\n',
    );
  });

  it('has whole ids and times and all columns with --wide, without control characters', () => {
    expect(printList(ROWS, COLUMNS, { ...STYLE, wide: true })).toBe(
      'CODE ID           STATE           SEEN                      NOTE\n' +
        '0123456789abcdef  failing,silent  2026-11-23T07:00:00.000Z  a [2Jb\n' +
        'ffffffffffffffff  other           -                         -\n',
    );
  });

  it('has no control characters in values that are lists', () => {
    const row: Row = { id: 'a', states: ['x\u001b[2J', 'y\n'], at: null, note: '' };
    expect(printList([row], COLUMNS, STYLE)).toBe('CODE ID  STATE     SEEN\na        x [2J,y   -\n');
  });

  it('has all columns in JSON', () => {
    expect(JSON.parse(printList(ROWS, COLUMNS, { ...STYLE, format: 'json', hasColors: true }))).toEqual([
      {
        code_id: '0123456789abcdef',
        state: ['failing', 'silent'],
        seen: '2026-11-23T07:00:00.000Z',
        note: 'a\u001b[2Jb',
      },
      { code_id: 'ffffffffffffffff', state: ['other'], seen: null, note: '' },
    ]);
  });

  it.each([
    [{ sort: 'seen' }, ['0123456789ab', 'aaaa', 'ffffffffffff']],
    [{ sort: 'seen', reverse: true }, ['aaaa', '0123456789ab', 'ffffffffffff']],
    [{ sort: 'code_id' }, ['0123456789ab', 'aaaa', 'ffffffffffff']],
    [{ sort: 'code_id', reverse: true }, ['ffffffffffff', 'aaaa', '0123456789ab']],
    [{ reverse: true }, ['aaaa', 'ffffffffffff', '0123456789ab']],
    [{}, ['0123456789ab', 'ffffffffffff', 'aaaa']],
  ])('is ordered by %j, with rows without a value last', (options, ids) => {
    const rows = [...ROWS, { id: 'aaaa', states: [], at: NOW, note: '' }];
    const lines = printList(rows, COLUMNS, { ...STYLE, ...options })
      .trimEnd()
      .split('\n')
      .slice(1);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(ids);
  });

  it('colours known states, and keeps the columns aligned', () => {
    expect(printList(ROWS, COLUMNS, { ...STYLE, hasColors: true })).toBe(
      'CODE ID       STATE           SEEN\n' +
        '0123456789ab  \u001b[31mfailing,silent\u001b[0m  3 h ago\n' +
        'ffffffffffff  other           -\n',
    );
  });

  it('is a sentence, or an empty array, without rows', () => {
    expect(printList([], COLUMNS, STYLE)).toBe('There is none.\n');
    expect(printList([], COLUMNS, { ...STYLE, format: 'json' })).toBe('[]\n');
  });
});

it.each([
  [0, 'now'],
  [-119_000, '119 s ago'],
  [-120_000, '2 min ago'],
  [-3 * 3600_000, '3 h ago'],
  [-47 * 3600_000, '47 h ago'],
  [-3 * 24 * 3600_000, '3 d ago'],
  [5 * 365 * 24 * 3600_000, 'in 5 years'],
])('tells a time %i ms from now as %j', (span, text) => {
  expect(formatAge(NOW + span, NOW)).toBe(text);
});
