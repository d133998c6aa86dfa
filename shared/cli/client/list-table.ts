import { type Command, Option } from 'commander';
import { formatAge } from './relative-time.ts';
import { printTextTable } from './text-table.ts';

/** What a list says of a row in one column; `Row` is what the list is of. */
export interface ListColumn<Row> {
  /** The member in JSON, in snake case; the heading is the same in capital letters. */
  readonly name: string;
  /** A time is in milliseconds since 1970; an id is shortened; `state` has colours; else text. */
  readonly kind?: 'time' | 'id' | 'state';
  /** Null: there is none. */
  readonly value: (row: Row) => string | number | boolean | readonly string[] | null;
  /** Whether the table has the column with `--wide` only. JSON always has it. */
  readonly isWide?: true;
}

/** The options that `addListOptions` adds. */
export interface ListOptions {
  readonly format: 'table' | 'json';
  readonly wide?: boolean;
}

/** How a list is printed. */
export interface ListStyle extends ListOptions {
  /** The sentence that a table without rows is replaced by. */
  readonly empty: string;
  /** The present time: times are told from here. */
  readonly now: number;
  readonly hasColors: boolean;
}

/** Digits of an id in a table: commands take them, and any other prefix that is unique. */
const ID_DIGITS = 12;

const COLORS: ReadonlyMap<string, number> = new Map([
  ...['failing', 'failed', 'revoked', 'expired'].map((state) => [state, 31] as const),
  ...['stale', 'volatile', 'requested', 'changed'].map((state) => [state, 33] as const),
  ...['current', 'signed', 'unchanged'].map((state) => [state, 32] as const),
  ...['silent', 'new'].map((state) => [state, 36] as const),
]);

/** Adds `--format` and `--wide` to a command that prints a list. */
export function addListOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'table, or json for programs').choices(['table', 'json']).default('table'),
    )
    .option('--wide', 'print whole ids and times, and further columns');
}

/**
 * Prints a list: a table with short ids and relative times, or one JSON array of objects with all
 * columns, whole ids and times as in ISO 8601.
 */
export function printList<Row>(rows: readonly Row[], columns: readonly ListColumn<Row>[], style: ListStyle): string {
  if (style.format === 'json')
    return `${JSON.stringify(
      rows.map((row) => toObject(row, columns)),
      null,
      2,
    )}\n`;
  if (rows.length === 0) return `${style.empty}\n`;
  const shown = columns.filter(({ isWide }) => style.wide === true || isWide !== true);
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
export function createListStyle({ format, wide }: ListOptions, now: number, empty: string): ListStyle {
  // `hasColors` knows NO_COLOR and dumb terminals.
  const hasColors = process.stdout.isTTY === true && process.stdout.hasColors();
  return { format, wide: wide ?? false, now, empty, hasColors };
}

function toObject<Row>(row: Row, columns: readonly ListColumn<Row>[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map(({ name, kind, value }) => {
      const found = value(row);
      return [name, kind === 'time' && typeof found === 'number' ? new Date(found).toISOString() : found];
    }),
  );
}

/** Control characters are shown as blanks: a value must not move the cursor. */
function toCell<Row>(row: Row, { kind, value }: ListColumn<Row>, { now, wide }: ListStyle): string {
  const found = value(row);
  if (found === null || found === '') return '-';
  if (kind === 'time' && typeof found === 'number') {
    return wide === true ? new Date(found).toISOString() : formatAge(found, now);
  }
  const text = typeof found === 'object' ? found.join(',') || '-' : String(found).replace(/\p{Cc}/gu, ' ');
  return kind === 'id' && wide !== true ? text.slice(0, ID_DIGITS) : text;
}
