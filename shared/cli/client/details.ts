import { hideControls } from './list-table.ts';

/** A label with its value; null: there is none, and no line. */
export type Detail = readonly [label: string, value: string | null];

/**
 * Formats details as lines `Label:  value`, with all values in one column. Further lines of a value
 * stand below its first one. Control characters are shown as blanks: a value must not move the
 * cursor.
 */
export function formatDetails(details: readonly Detail[]): string {
  const shown = details.flatMap(([label, value]) => (value === null ? [] : [[`${label}:`, value] as const]));
  const width = Math.max(0, ...shown.map(([label]) => label.length)) + 2;
  const lines = shown.flatMap(([label, value]) =>
    value.split('\n').map((line, index) => `${(index === 0 ? label : '').padEnd(width)}${hideControls(line)}`),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
