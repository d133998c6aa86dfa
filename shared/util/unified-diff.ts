/** A line that one text or both contain. */
interface Edit {
  readonly kind: ' ' | '-' | '+';
  /** Includes the line feed, which the last line may lack. */
  readonly line: string;
}

const CONTEXT = 3;
/**
 * Texts with more differences than this are not compared in detail: everything between the first
 * and the last difference counts as changed.
 */
const MOST_CHANGES = 500;

/** Returns the hunks that `diff -u` prints for two texts; empty when the texts are equal. */
export function printUnifiedDiff(before: string, after: string): string {
  const edits = editsBetween(linesOf(before), linesOf(after));
  const changed = edits.flatMap(({ kind }, index) => (kind === ' ' ? [] : [index]));
  let text = '';
  for (let first = 0; first < changed.length; ) {
    let last = first;
    while ((changed[last + 1] ?? Number.POSITIVE_INFINITY) - (changed[last] ?? 0) <= 2 * CONTEXT + 1) last += 1;
    const start = Math.max(0, (changed[first] ?? 0) - CONTEXT);
    text += printHunk(edits, start, (changed[last] ?? 0) + CONTEXT + 1);
    first = last + 1;
  }
  return text;
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function printHunk(edits: readonly Edit[], start: number, end: number): string {
  const shown = edits.slice(start, end);
  const range = (absent: '-' | '+') => {
    const above = edits.slice(0, start).filter(({ kind }) => kind !== absent).length;
    const length = shown.filter(({ kind }) => kind !== absent).length;
    // An empty range is named by the line before it.
    return `${length === 0 ? above : above + 1}${length === 1 ? '' : `,${length}`}`;
  };
  const body = shown.map(
    ({ kind, line }) => `${kind}${line}${line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`,
  );
  return `@@ -${range('+')} +${range('-')} @@\n${body.join('')}`;
}

function editsBetween(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let head = 0;
  while (head < before.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const shorter = Math.min(before.length, after.length) - head;
  while (tail < shorter && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const [old, young] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const kept = shortestEdits(old, young) ?? [...markLines('-', old), ...markLines('+', young)];
  const common = [before.slice(0, head), before.slice(before.length - tail)].map((lines) => markLines(' ', lines));
  return [...(common[0] ?? []), ...sortRemovalsFirst(kept), ...(common[1] ?? [])];
}

function markLines(kind: Edit['kind'], lines: readonly string[]): readonly Edit[] {
  return lines.map((line) => ({ kind, line }));
}

/**
 * Returns the shortest list of edits, by Myers' greedy algorithm; null when it is longer than
 * `MOST_CHANGES`.
 */
function shortestEdits(before: readonly string[], after: readonly string[]): readonly Edit[] | null {
  const reached: Map<number, number>[] = [];
  const farthest = new Map<number, number>([[1, 0]]);
  for (let changes = 0; changes <= MOST_CHANGES; changes += 1) {
    reached.push(new Map(farthest));
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = nextX(farthest, diagonal, changes);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      farthest.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return traceEdits(reached, before, after);
    }
  }
  return null;
}

function nextX(farthest: ReadonlyMap<number, number>, diagonal: number, changes: number): number {
  const [left, above] = [farthest.get(diagonal - 1) ?? -1, farthest.get(diagonal + 1) ?? -1];
  return diagonal === -changes || (diagonal !== changes && left < above) ? above : left + 1;
}

/** Walks back from the end through the furthest points reached with fewer and fewer changes. */
function traceEdits(
  reached: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): readonly Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [before.length, after.length];
  for (let changes = reached.length - 1; changes >= 0; changes -= 1) {
    const farthest = reached[changes] ?? new Map();
    const diagonal = x - y;
    const isInsertion =
      diagonal === -changes ||
      (diagonal !== changes && (farthest.get(diagonal - 1) ?? -1) < (farthest.get(diagonal + 1) ?? -1));
    const from = isInsertion ? diagonal + 1 : diagonal - 1;
    const fromX = changes === 0 ? 0 : (farthest.get(from) ?? 0);
    const fromY = changes === 0 ? 0 : fromX - from;
    const startX = changes === 0 ? 0 : isInsertion ? fromX : fromX + 1;
    while (x > startX) edits.push({ kind: ' ', line: before[--x] ?? '' });
    if (changes > 0)
      edits.push(isInsertion ? { kind: '+', line: after[fromY] ?? '' } : { kind: '-', line: before[fromX] ?? '' });
    [x, y] = [fromX, fromY];
  }
  return edits.reverse();
}

/** Between unchanged lines, puts removed lines before added ones. */
function sortRemovalsFirst(edits: readonly Edit[]): readonly Edit[] {
  const ordered: Edit[] = [];
  let added: Edit[] = [];
  for (const edit of edits) {
    if (edit.kind === '+') added.push(edit);
    else if (edit.kind === '-') ordered.push(edit);
    else {
      ordered.push(...added, edit);
      added = [];
    }
  }
  return [...ordered, ...added];
}
