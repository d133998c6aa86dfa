import { type Command, InvalidArgumentError, Option } from 'commander';
import { shortenId } from '../../util/short-id.ts';
import { ClientError } from './client-error.ts';
import { createFormatOption, type FormatOption, formatJson, parseWholeNumber } from './option-values.ts';
import { formatAge } from './relative-time.ts';

/** A column of a list of `Row`. */
export interface ListColumn<Row> {
  /** The member in JSON, in snake case; the heading is the same in capital letters. */
  readonly name: string;
  /** A time is in milliseconds since 1970; an id is shortened; `state` has colours; else text. */
  readonly kind?: 'time' | 'id' | 'state';
  /** Null: there is none. */
  readonly value: (row: Row) => string | number | boolean | readonly string[] | null;
  /** Whether the table has the column with `--wide` only. JSON always has it. */
  readonly isWide?: true;
  /** Whether a table has the column only when a row has a value in it. */
  readonly isOptional?: true;
}

/** The options that `addTableOptions` adds. */
export interface TableFormat extends FormatOption {
  readonly wide?: boolean;
}

/** The options that `addListOptions` adds. */
export interface ListOptions extends TableFormat {
  /** The largest number of rows; absent for all. */
  readonly limit?: number;
  /** Absent for the order that the rows come in. */
  readonly sort?: ListSort;
}

/** An order of rows. */
export interface ListSort {
  /** The name of a column. */
  readonly column: string;
  readonly isDescending: boolean;
}

/** Format of a list. */
export interface ListStyle extends ListOptions {
  /** The sentence that a table without rows is replaced by. */
  readonly empty: string;
  /** The present time, to which relative times refer. */
  readonly now: number;
  readonly hasColors: boolean;
  /** Characters of a line, at which rows are cut; null for no end. */
  readonly columns: number | null;
  /** Writes a line to standard error. */
  readonly warn: (line: string) => void;
  /** The number of rows where the list is from; absent where it gave all of them. */
  readonly total?: number | string;
}

const COLORS: ReadonlyMap<string, number> = new Map([
  ...['failing', 'failed', 'revoked', 'expired', 'stopped'].map((state) => [state, 31] as const),
  ...['stale', 'volatile', 'requested', 'changed', 'running', 'stopping'].map((state) => [state, 33] as const),
  ...['current', 'signed', 'unchanged', 'finished', 'compiled', 'active', 'connected'].map(
    (state) => [state, 32] as const,
  ),
  ...['silent', 'new', 'not connected'].map((state) => [state, 36] as const),
]);

const MOST_ROWS = 10_000_000;

/** Adds `--format` and `--wide` to a command that prints tables. */
export function addTableOptions(command: Command, format: Option = createFormatOption()): Command {
  return command.addOption(format).option('--wide', 'print whole ids and times, further columns, and rows in full');
}

/** A list that is not like most. */
interface SpecialList {
  /** The limit where none is given; absent for no limit. */
  readonly usual?: number;
  /** The largest limit. */
  readonly most?: number;
  /** In place of that of `createFormatOption`. */
  readonly format?: Option;
}

/** Adds the options of a list: those of `addTableOptions`, `--limit` and `--sort`. */
export function addListOptions(
  command: Command,
  columns: readonly { readonly name: string }[],
  { usual, most = MOST_ROWS, format }: SpecialList = {},
): Command {
  const names = [...new Set(columns.map(({ name }) => name))];
  const words = names.flatMap((name) => [name, `${name}:desc`]);
  const sort = new Option('--sort <column[:desc]>', `the order: ${names.join(', ')}, last first with :desc`);
  return addTableOptions(command, format)
    .option('--limit <number>', 'the largest number of rows', parseWholeNumber(1, most), usual)
    .addOption(sort.choices(words).argParser((text) => readSort(text, names)));
}

function readSort(text: string, names: readonly string[]): ListSort {
  const [, column = '', direction] = /^(\w+)(:desc|:asc)?$/.exec(text) ?? [];
  if (names.includes(column)) return { column, isDescending: direction === ':desc' };
  throw new InvalidArgumentError(`It must be one of ${names.join(', ')}; :desc behind it puts the last first.`);
}

/**
 * The rows in the order that `--sort` names, as many as `--limit` allows. Standard error has how
 * many there were, if not all are left. Throws ClientError for a column that the rows do not have.
 */
export function selectRows<Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  { sort, limit = MOST_ROWS, total = rows.length, warn }: ListStyle,
): readonly Row[] {
  const shown = (sort === undefined ? rows : orderRows(rows, columns, sort)).slice(0, limit);
  if (shown.length !== total) warn(`${shown.length} of ${total} shown`);
  return shown;
}

/**
 * Prints a list: a table with short ids and relative times, or one JSON array of objects: all
 * columns with whole ids and times as in ISO 8601, unless `toJson` gives other ones.
 */
export function printList<Row>(
  all: readonly Row[],
  columns: readonly ListColumn<Row>[],
  style: ListStyle,
  toJson: (row: Row) => unknown = (row) => toObject(row, columns),
): string {
  const rows = selectRows(all, columns, style);
  if (style.format === 'json') return formatJson(rows.map(toJson));
  if (rows.length === 0) return `${style.empty}\n`;
  const shown = columns.filter(
    ({ isWide, isOptional, value }) =>
      (style.wide === true || isWide !== true) && (isOptional !== true || rows.some((row) => value(row) !== null)),
  );
  const cells = rows.map((row) => shown.map((column) => toCell(row, column, style)));
  const header = shown.map(({ name }) => name.toUpperCase().replaceAll('_', ' '));
  return printTextTable(header, cells, style.wide === true ? null : style.columns, (padded, row, column) => {
    const color = COLORS.get(cells[row]?.[column]?.split(',')[0] ?? '');
    const isPainted = style.hasColors && shown[column]?.kind === 'state' && color !== undefined;
    return isPainted ? `\u001b[${color}m${padded}\u001b[0m` : padded;
  });
}

/**
 * The style of a list on the output of this process: colours and the width are those of a terminal;
 * NO_COLOR leaves the colours out. `empty` replaces a table without rows; `now` is the present
 * time; `total` is the number of rows where the list is from, if it did not give all.
 */
export function createListStyle(options: ListOptions, now: number, empty: string, total?: number | string): ListStyle {
  const { format, wide = false, sort, limit } = options;
  const { stdout, stderr } = process;
  return {
    ...{ format, wide, now, empty },
    ...(sort === undefined ? {} : { sort }),
    ...(limit === undefined ? {} : { limit }),
    ...(total === undefined ? {} : { total }),
    // `hasColors` knows NO_COLOR and dumb terminals.
    hasColors: stdout.isTTY === true && stdout.hasColors(),
    columns: stdout.isTTY === true ? stdout.columns : null,
    warn: (line) => stderr.write(`${line}\n`),
  };
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Rows without a value come last, in either order. Rows of equal values stay as they came. */
function orderRows<Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  { column: name, isDescending }: ListSort,
): readonly Row[] {
  const column = columns.find((one) => one.name === name);
  if (column === undefined) {
    throw new ClientError(`--sort ${name}: these rows have ${columns.map((one) => one.name).join(', ')}`);
  }
  const direction = isDescending ? -1 : 1;
  return rows
    .map((row) => [column.value(row), row] as const)
    .toSorted(([a], [b]) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
      return direction * COLLATOR.compare(String(a), String(b));
    })
    .map(([, row]) => row);
}

function toObject<Row>(row: Row, columns: readonly ListColumn<Row>[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map(({ name, kind, value }) => {
      const found = value(row);
      return [name, kind === 'time' && typeof found === 'number' ? new Date(found).toISOString() : found];
    }),
  );
}

/**
 * Control characters are shown as blanks: a value must not move the cursor. Some values come from
 * others, such as the alternative names in a certificate request.
 */
function toCell<Row>(row: Row, { kind, value }: ListColumn<Row>, { now, wide }: ListStyle): string {
  const found = value(row);
  if (found === null || found === '') return '-';
  if (kind === 'time' && typeof found === 'number') {
    return wide === true ? new Date(found).toISOString() : formatAge(found, now);
  }
  const text = hideControls(typeof found === 'object' ? found.join(',') || '-' : String(found));
  return kind === 'id' && wide !== true ? shortenId(text) : text;
}

/** The text with a blank for each control character. */
export function hideControls(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

/** Returns an already padded cell with the escape sequences of a colour. */
type PaintCell = (padded: string, row: number, column: number) => string;

/**
 * Returns rows below a header, in columns as wide as their longest cell. Lines of more than `most`
 * characters are cut, and end in an ellipsis. `paint` is called for each cell of the rows, but not
 * of the header.
 */
function printTextTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  most: number | null,
  paint: PaintCell,
): string {
  const widths = header.map((heading, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), heading.length),
  );
  const begins = widths.map((_, column) => widths.slice(0, column).reduce((sum, width) => sum + width + GAP.length, 0));
  const line = (row: readonly string[], paintCell: (padded: string, column: number) => string) => {
    const last = row.findLastIndex((cell) => cell !== '');
    const cells = row.slice(0, last + 1).flatMap((cell, column) => {
      const room = most === null ? Number.POSITIVE_INFINITY : most - (begins[column] ?? 0);
      if (room <= 0) return [];
      const padded = column === last ? cell : cell.padEnd(widths[column] ?? 0);
      return [paintCell(shortenText(padded, room), column)];
    });
    return `${cells.join(GAP)}\n`;
  };
  const body = rows.map((row, index) => line(row, (padded, column) => paint(padded, index, column)));
  return `${line(header, (padded) => padded)}${body.join('')}`;
}

const GAP = '  ';

function shortenText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
