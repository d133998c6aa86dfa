import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BESIDE, isBeside } from '../helpers/material-beside.ts';

const OWN = join(import.meta.dirname, 'cases');

/** A case with what is compared. */
export interface RecordedCase<Outcome> {
  readonly id: string;
  readonly source: string;
  readonly outcome: Outcome;
  readonly external_modules?: readonly string[];
}

/** The suites of this repository, such as `gen-hand`. */
export function ownSuites(): readonly string[] {
  return readdirSync(OWN)
    .filter((name) => name.endsWith('.jsonl.gz'))
    .map((name) => basename(name, '.jsonl.gz'));
}

/** Unpacks the suites of this repository into a new folder, which the caller removes. */
export function unpackOwnSuites(): { readonly folder: string; readonly files: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-parity-'));
  const files = ownSuites().map((suite) => {
    const file = join(folder, `${suite}.jsonl`);
    writeFileSync(file, gunzipSync(readFileSync(join(OWN, `${suite}.jsonl.gz`))));
    return file;
  });
  return { folder, files };
}

/**
 * The suites of other projects, when they lie beside this clone. Copies of our own are left out.
 */
export function foreignSuites(): readonly string[] {
  if (!isBeside('parityCases')) return [];
  const own = new Set(ownSuites());
  return readdirSync(BESIDE.parityCases)
    .filter((name) => name.endsWith('.jsonl') && !own.has(basename(name, '.jsonl')))
    .map((name) => join(BESIDE.parityCases, name));
}

/** The cases of a JSONL file, in order. */
export function* readCases<Outcome>(file: string): Generator<RecordedCase<Outcome>> {
  for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') yield JSON.parse(line);
}
