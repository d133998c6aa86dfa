import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { ClientError } from '../../cli/client/client-error.ts';
import { CasePool, type PoolOptions } from './case-pool.ts';

/** The folder of the modules in Debian's packages. */
export const DEFAULT_EXTERNAL_MODULES = '/usr/share/puppet/modules';

/** A line of a case file is not a case. */
export class InvalidCase extends ClientError {}

/** Number of cases read ahead of the first unanswered one. */
const WINDOW = 64;

/**
 * Runs the cases of JSONL files and writes `{"id", "outcome"}` for each, one line each, in the
 * order of the cases.
 */
export async function runParityFiles(
  files: readonly string[],
  options: PoolOptions,
  write: (line: string) => void | Promise<void>,
): Promise<void> {
  const pool = new CasePool(options);
  const window: Promise<string>[] = [];
  try {
    for (const file of files) {
      for await (const { id, line } of casesOf(file)) {
        window.push(pool.run(id, line).then((outcome) => `{"id":${JSON.stringify(id)},"outcome":${outcome}}`));
        const first = window.length >= WINDOW ? window.shift() : undefined;
        if (first) await write(await first);
      }
    }
    for (const each of window) await write(await each);
  } finally {
    pool.close();
  }
}

async function* casesOf(file: string): AsyncGenerator<{ readonly id: string; readonly line: string }> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() !== '') yield { id: caseId(`${file}:${number}`, line), line };
  }
}

/** Returns the id of a case. `place`: file and line, for errors. */
function caseId(place: string, line: string): string {
  const found = parseLine(place, line);
  for (const name of ['id', 'kind', 'source']) {
    if (typeof found[name] !== 'string') throw new InvalidCase(`${place}: the case has no ${name}`);
  }
  return String(found.id);
}

function parseLine(place: string, line: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(line));
  } catch (error) {
    throw new InvalidCase(`${place}: not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
