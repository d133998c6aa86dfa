/** One figure of the benchmark. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly understudy: number;
  /** The figure of real Puppet in the same run; null where there is none. */
  readonly puppet: number | null;
  /** How many times better than Puppet, in the direction of the unit; null without a peer. */
  readonly ratio: number | null;
}

export function row(
  what: string,
  unit: string,
  understudy: number,
  puppet: number | null,
  more: 'better' | 'worse',
): Row {
  const ratio = puppet === null ? null : more === 'better' ? understudy / puppet : puppet / understudy;
  return { what, unit, understudy, puppet, ratio };
}

export function printTable(rows: readonly Row[]): string {
  const cells = [
    ['', 'understudy', 'puppet', 'ratio'],
    ...rows.map(({ what, unit, understudy, puppet, ratio }) => [
      what,
      `${figure(understudy)} ${unit}`,
      puppet === null ? '-' : `${figure(puppet)} ${unit}`,
      ratio === null ? '-' : `${figure(ratio)}x`,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

function figure(value: number): string {
  if (value >= 1000) return Math.round(value).toString();
  return value.toPrecision(3);
}
