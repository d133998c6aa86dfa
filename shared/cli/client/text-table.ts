/** Returns an already padded cell with the escape sequences of a colour. */
type PaintCell = (padded: string, row: number, column: number) => string;

/**
 * Returns rows below a header, in columns as wide as their longest cell. `paint` is called for each
 * cell of the rows, but not of the header.
 */
export function printTextTable(
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
