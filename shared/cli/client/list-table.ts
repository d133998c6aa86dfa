import { type Command, Option } from 'commander';
import { createFormatOption, type FormatOption } from './option-values.ts';
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

/** The options that `addListOptions` adds. */
export interface ListOptions extends FormatOption {
  readonly wide?: boolean;
  /** The name of the column that orders the rows; absent for the order that they come in. */
  readonly sort?: string | undefined;
  readonly reverse?: boolean | undefined;
}

/** Format of a list. */
export interface ListStyle extends ListOptions {
  /** The sentence that a table without rows is replaced by. */
  readonly empty: string;
  /** The present time, to which relative times refer. */
  readonly now: number;
  readonly hasColors: boolean;
}

/** Digits of an id in a table: commands take them, and any other prefix that is unique. */
const ID_DIGITS = 12;

const COLORS: ReadonlyMap<string, number> = new Map([
  ...['failing', 'failed', 'revoked', 'expired', 'stopped'].map((state) => [state, 31] as const),
  ...['stale', 'volatile', 'requested', 'changed', 'running', 'stopping'].map((state) => [state, 33] as const),
  ...['current', 'signed', 'unchanged', 'finished', 'compiled', 'active', 'connected'].map(
    (state) => [state, 32] as const,
  ),
  ...['silent', 'new', 'not connected'].map((state) => [state, 36] as const),
]);

/**
 * Adds `--format` and `--wide` to a command that prints a list; with `columns` also `--sort` and
 * `--reverse`, where the command does not order its rows itself.
 */
export function addListOptions(command: Command, columns: readonly { readonly name: string }[] = []): Command {
  command.addOption(createFormatOption()).option('--wide', 'print whole ids and times, and further columns');
  if (columns.length === 0) return command;
  return command
    .addOption(new Option('--sort <column>', 'the order of the rows').choices(columns.map(({ name }) => name)))
    .option('--reverse', 'the last row first');
}

/**
 * Prints a list: a table with short ids and relative times, or one JSON array of objects with all
 * columns, whole ids and times as in ISO 8601.
 */
export function printList<Row>(
  unordered: readonly Row[],
  columns: readonly ListColumn<Row>[],
  style: ListStyle,
): string {
  const rows = orderRows(unordered, columns, style);
  if (style.format === 'json')
    return `${JSON.stringify(
      rows.map((row) => toObject(row, columns)),
      null,
      2,
    )}\n`;
  if (rows.length === 0) return `${style.empty}\n`;
  const shown = columns.filter(
    ({ isWide, isOptional, value }) =>
      (style.wide === true || isWide !== true) && (isOptional !== true || rows.some((row) => value(row) !== null)),
  );
  const cells = rows.map((row) => shown.map((column) => toCell(row, column, style)));
  const header = shown.map(({ name }) => name.toUpperCase().replaceAll('_', ' '));
  return printTextTable(header, cells, (padded, row, column) => {
    const color = COLORS.get(cells[row]?.[column]?.split(',')[0] ?? '');
    const isPainted = style.hasColors && shown[column]?.kind === 'state' && color !== undefined;
    return isPainted ? `\u001b[${color}m${padded}\u001b[0m` : padded;
  });
}

/**
 * The style of a list on the output of this process: colours are for a terminal, unless NO_COLOR is
 * set. `empty` replaces a table without rows; `now` is the present time.
 */
export function createListStyle(options: ListOptions, now: number, empty: string): ListStyle {
  const { format, wide, sort, reverse } = options;
  // `hasColors` knows NO_COLOR and dumb terminals.
  const hasColors = process.stdout.isTTY === true && process.stdout.hasColors();
  return { format, wide: wide ?? false, sort, reverse, now, empty, hasColors };
}

/** Rows without a value come last, in either order. Rows of equal values stay as they came. */
function orderRows<Row>(
  rows: readonly Row[],
  columns: readonly ListColumn<Row>[],
  { sort, reverse }: ListStyle,
): readonly Row[] {
  const column = columns.find(({ name }) => name === sort);
  if (column === undefined) return reverse === true ? rows.toReversed() : rows;
  const direction = reverse === true ? -1 : 1;
  return rows
    .map((row) => [column.value(row), row] as const)
    .toSorted(([a], [b]) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
      return direction * String(a).localeCompare(String(b), 'en', { numeric: true });
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
  const text = (typeof found === 'object' ? found.join(',') || '-' : String(found)).replace(/\p{Cc}/gu, ' ');
  return kind === 'id' && wide !== true ? text.slice(0, ID_DIGITS) : text;
}

/** Returns an already padded cell with the escape sequences of a colour. */
type PaintCell = (padded: string, row: number, column: number) => string;

/**
 * Returns rows below a header, in columns as wide as their longest cell. `paint` is called for each
 * cell of the rows, but not of the header.
 */
function printTextTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  paint: PaintCell = (padded) => padded,
): string {
  const widths = header.map((heading, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), heading.length),
  );
  const line = (row: readonly string[], paintCell: (padded: string, column: number) => string) => {
    const last = row.findLastIndex((cell) => cell !== '');
    const cells = row.slice(0, last + 1);
    return `${cells.map((cell, column) => paintCell(column === last ? cell : cell.padEnd(widths[column] ?? 0), column)).join('  ')}\n`;
  };
  const body = rows.map((row, index) => line(row, (padded, column) => paint(padded, index, column)));
  return `${line(header, (padded) => padded)}${body.join('')}`;
}
