import { Command } from 'commander';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addListOptions,
  type ListColumn,
  type ListOptions,
  type ListStyle,
  printList,
} from '../../../../shared/cli/client/list-table.ts';
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
const warnings: string[] = [];
const STYLE: ListStyle = {
  ...{ format: 'text', wide: false, now: NOW, hasColors: false, empty: 'There is none.', columns: null },
  warn: (line) => warnings.push(line),
};
beforeEach(() => {
  warnings.length = 0;
});

/** The options of a list as its command reads them. */
function parse(...args: readonly string[]): ListOptions {
  const command = addListOptions(new Command('list'), COLUMNS).exitOverride();
  command.configureOutput({ writeErr: () => {} }).action(() => {});
  return command.parse(args, { from: 'user' }).opts();
}

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
    ['seen', ['0123456789ab', 'aaaa', 'ffffffffffff']],
    ['seen:desc', ['aaaa', '0123456789ab', 'ffffffffffff']],
    ['code_id', ['0123456789ab', 'aaaa', 'ffffffffffff']],
    ['code_id:desc', ['ffffffffffff', 'aaaa', '0123456789ab']],
  ])('is ordered by %s, with rows without a value last', (sort, ids) => {
    const options = parse('--sort', sort);
    const rows = [...ROWS, { id: 'aaaa', states: [], at: NOW, note: '' }];
    const lines = printList(rows, COLUMNS, { ...STYLE, ...options })
      .trimEnd()
      .split('\n')
      .slice(1);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(ids);
  });

  it.each(['odd', 'seen:up', ':desc', 'seen:desc:desc', ''])(
    'names its columns when it is to be ordered by %j',
    (sort) => {
      expect(() => parse('--sort', sort)).toThrow(
        `option '--sort <column[:desc]>' argument '${sort}' is invalid. It must be one of code_id, state, seen, note; :desc behind it puts the last first.`,
      );
    },
  );

  it('refuses the order by a column of other rows', () => {
    const style = { ...STYLE, sort: { column: 'age', isDescending: false } };
    expect(() => printList(ROWS, COLUMNS, style)).toThrow('--sort age: these rows have code_id, state, seen, note');
  });

  it.each([
    [{ limit: 1 }, 2, ['1 of 2 shown']],
    [{ limit: 2 }, 3, []],
    [{ limit: 2, total: 203 }, 3, ['2 of 203 shown']],
    [{ limit: 2, total: 'more than 2' }, 3, ['2 of more than 2 shown']],
  ])('has as many rows as %j says, and says so', (options, lines, expected) => {
    expect(
      printList(ROWS, COLUMNS, { ...STYLE, ...options })
        .trimEnd()
        .split('\n'),
    ).toHaveLength(lines);
    expect(JSON.parse(printList(ROWS, COLUMNS, { ...STYLE, ...options, format: 'json' }))).toHaveLength(lines - 1);
    expect(warnings).toEqual([...expected, ...expected]);
  });

  it.each([
    [26, 'CODE ID       STATE      …\n0123456789ab  failing,sil…\nffffffffffff  other      …\n'],
    [15, 'CODE ID       …\n0123456789ab  …\nffffffffffff  …\n'],
    [14, 'CODE ID     \n0123456789ab\nffffffffffff\n'],
  ])('is cut at %i characters of a terminal', (columns, text) => {
    const cut = printList(ROWS, COLUMNS, { ...STYLE, columns, hasColors: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour
    expect(cut.replace(/\u001b\[\d+m/g, '')).toBe(text);
    expect(printList(ROWS, COLUMNS, { ...STYLE, columns, wide: true })).toContain('2026-11-23T07:00:00.000Z');
  });

  it('has the objects of its command in JSON', () => {
    expect(JSON.parse(printList(ROWS, COLUMNS, { ...STYLE, format: 'json' }, ({ id }) => id.length))).toEqual([16, 16]);
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
