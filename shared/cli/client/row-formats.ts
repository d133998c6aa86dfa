/** Formats for the rows of a query. */
export const ROW_FORMATS = ['json', 'text', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** Rows from which the widths of a table's columns follow; later ones may stand out. */
const MEASURED_ROWS = 1000;
const WIDEST_COLUMN = 60;

/** Prints rows, each the JSON text of one element, as they come. */
export function formatRows(rows: AsyncIterable<string>, format: RowFormat): AsyncIterable<string> {
  if (format === 'json') return writeJsonRows(rows);
  return format === 'csv' ? writeCsv(rows) : writeTable(rows);
}

async function* writeJsonRows(rows: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '[\n  ';
  for await (const row of rows) {
    yield `${before}${row}`;
    before = ',\n  ';
  }
  yield before.startsWith('[') ? '[]\n' : '\n]\n';
}

type Cells = ReadonlyMap<string, string>;

/** The cells of a row: its members, or the one value of a row that is no object. */
function readCells(row: string): Cells {
  const data: unknown = JSON.parse(row);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return new Map([['value', writeCell(data)]]);
  return new Map(Object.entries(data).map(([name, value]) => [name, writeCell(value)]));
}

function writeCell(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** RFC 4180. The first row names the columns. */
async function* writeCsv(rows: AsyncIterable<string>): AsyncGenerator<string> {
  let names: readonly string[] | null = null;
  for await (const row of rows) {
    const cells = readCells(row);
    if (names === null) {
      names = [...cells.keys()];
      yield `${names.map(quoteCell).join(',')}\r\n`;
    }
    yield `${names.map((name) => quoteCell(cells.get(name) ?? '')).join(',')}\r\n`;
  }
}

function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* writeTable(rows: AsyncIterable<string>): AsyncGenerator<string> {
  const first: Cells[] = [];
  let widths: ReadonlyMap<string, number> | null = null;
  for await (const row of rows) {
    const cells = readCells(row);
    if (widths !== null) {
      yield writeLine(cells, widths);
      continue;
    }
    first.push(cells);
    if (first.length < MEASURED_ROWS) continue;
    widths = measure(first);
    yield* writeFirst(first, widths);
  }
  if (widths === null && first.length > 0) yield* writeFirst(first, measure(first));
}

function measure(rows: readonly Cells[]): ReadonlyMap<string, number> {
  const names = [...(rows[0]?.keys() ?? [])];
  const widest = (name: string) => Math.max(name.length, ...rows.map((row) => (row.get(name) ?? '').length));
  return new Map(names.map((name) => [name, Math.min(WIDEST_COLUMN, widest(name))]));
}

function* writeFirst(rows: readonly Cells[], widths: ReadonlyMap<string, number>): Generator<string> {
  yield writeLine(new Map([...widths.keys()].map((name) => [name, name])), widths);
  yield writeLine(new Map([...widths].map(([name, width]) => [name, '-'.repeat(width)])), widths);
  for (const row of rows) yield writeLine(row, widths);
}

/** Control characters are shown as blanks: a value must not move the cursor. */
function writeLine(cells: Cells, widths: ReadonlyMap<string, number>): string {
  const texts = [...widths].map(([name, width]) => (cells.get(name) ?? '').replace(/\p{Cc}/gu, ' ').padEnd(width));
  return `${texts.join('  ').trimEnd()}\n`;
}
