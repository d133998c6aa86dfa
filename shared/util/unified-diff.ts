import { type StructuredPatchHunk, structuredPatch } from 'diff';

const CONTEXT = 3;
/**
 * Texts that differ in more lines than this get one hunk, from the first to the last difference. A
 * closer diff costs time that grows with the square of the changed lines.
 */
const MOST_CHANGES = 500;

/** Returns the hunks of `diff -u` without its two file lines; empty when the texts are equal. */
export function printUnifiedDiff(before: string, after: string): string {
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  return (patch?.hunks ?? [replaceMiddle(linesOf(before), linesOf(after))]).map(printHunk).join('');
}

// Unlike the package `diff`, the command `diff` leaves out a length of one.
function printHunk({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${printRange(oldStart, oldLines)} +${printRange(newStart, newLines)} @@\n${lines.join('\n')}\n`;
}

function printRange(start: number, length: number): string {
  // An empty range is named by the line before it.
  return `${length === 0 ? start - 1 : start}${length === 1 ? '' : `,${length}`}`;
}

/** One hunk that replaces all between the lines that both texts begin and end with. */
function replaceMiddle(before: readonly string[], after: readonly string[]): StructuredPatchHunk {
  let head = 0;
  while (head < before.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const shorter = Math.min(before.length, after.length) - head;
  while (tail < shorter && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const start = Math.max(0, head - CONTEXT);
  const end = (lines: readonly string[]) => lines.length - Math.max(0, tail - CONTEXT);
  const lines = [
    ...markLines(' ', before.slice(start, head)),
    ...markLines('-', before.slice(head, before.length - tail)),
    ...markLines('+', after.slice(head, after.length - tail)),
    ...markLines(' ', before.slice(before.length - tail, end(before))),
  ];
  const [oldLines, newLines] = [end(before) - start, end(after) - start];
  return { oldStart: start + 1, oldLines, newStart: start + 1, newLines, lines };
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function markLines(mark: ' ' | '-' | '+', lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [`${mark}${line.slice(0, -1)}`] : [`${mark}${line}`, '\\ No newline at end of file'],
  );
}
