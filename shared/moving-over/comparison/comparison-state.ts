import { appendFileSync, createReadStream, existsSync, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandError } from '../../cli/commands/node-files.ts';
import type { NodeComparison } from '../../fleet/comparisons/node-comparison.ts';
import { isJsonObject } from '../../util/json-object.ts';

/** The compared sides, which a state file names. A file of other sides is refused. */
interface ComparisonSubject {
  readonly existing: string;
  readonly code: string;
}

const FORM = 'understudy comparison 1';
const OUTCOMES = ['equal', 'different', 'failing', 'unknown'];

/**
 * State of a comparison in a file of JSON lines: its subject, then each compared node, then a mark
 * when it is finished. An incomplete line is ignored.
 */
export class ComparisonState {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * Opens the file of an interrupted run, or makes a new one; the file of a finished run is
   * replaced. `take` gets each comparison that need not be repeated: all but those with the outcome
   * `unknown`. Throws CommandError for the file of another comparison.
   */
  static async open(
    file: string,
    subject: ComparisonSubject,
    take: (comparison: NodeComparison) => void,
  ): Promise<ComparisonState> {
    const head = { form: FORM, ...subject };
    const started = `${file}.new`;
    const [isFinished, kept] = existsSync(file) ? await readLines(file, head) : [true, []];
    writeFileSync(started, `${JSON.stringify(head)}\n`);
    if (!isFinished) {
      for await (const comparison of kept) {
        appendFileSync(started, `${JSON.stringify(comparison)}\n`);
        take(comparison);
      }
    }
    renameSync(started, file);
    return new ComparisonState(file);
  }

  add(comparison: NodeComparison): void {
    appendFileSync(this.#file, `${JSON.stringify(comparison)}\n`);
  }

  finish(): void {
    appendFileSync(this.#file, `${JSON.stringify({ finished: true })}\n`);
  }
}

/** Reads whether the run was finished, and its comparisons. */
async function readLines(
  file: string,
  head: ComparisonSubject & { readonly form: string },
): Promise<readonly [isFinished: boolean, comparisons: AsyncIterable<NodeComparison> | readonly NodeComparison[]]> {
  let first: unknown;
  let last: unknown;
  for await (const line of parseLines(file)) {
    first ??= line;
    last = line;
  }
  if (!isJsonObject(first) || first.form !== FORM) throw new CommandError(`'${file}' is not the state of a comparison`);
  if (isJsonObject(last) && last.finished === true) return [true, []];
  if (first.existing !== head.existing || first.code !== head.code) {
    throw new CommandError(
      `'${file}' is the state of a comparison of ${first.existing} with ${first.code}: name another --state-file, or delete it`,
    );
  }
  return [false, selectComparisons(file)];
}

async function* selectComparisons(file: string): AsyncGenerator<NodeComparison> {
  for await (const line of parseLines(file)) {
    if (isComparison(line) && line.outcome !== 'unknown') yield line;
  }
}

async function* parseLines(file: string): AsyncGenerator<unknown> {
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    const parsed = parse(line);
    if (parsed !== undefined) yield parsed;
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isComparison(value: unknown): value is NodeComparison {
  return isJsonObject(value) && typeof value.certname === 'string' && OUTCOMES.includes(String(value.outcome));
}
