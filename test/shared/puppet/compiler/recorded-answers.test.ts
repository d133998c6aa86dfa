import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileSource } from '../../../helpers/compile-source.ts';

/**
 * What real Puppet answers to a program: what it logs, or its error. `recorded.json` is from Puppet
 * 7.23 over `sources.json`, `generated.json` from the same over programs of generators that were
 * answered differently once.
 */
interface Answer {
  readonly source: string;
  readonly notices?: readonly string[];
  readonly error?: string;
}

const FOLDER = join(import.meta.dirname, '../../../fixtures/answers');
const answers: readonly Answer[] = ['recorded.json', 'generated.json'].flatMap(
  (name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')).answers,
);

describe('what the installed Puppet was seen to answer', () => {
  it.each(answers)('$source', ({ source, notices, error }) => {
    const result = compileSource(source);
    const messages = result.status === 'needs' ? [] : result.log.map(({ message }) => message);
    expect(result.status === 'failed' ? { error: result.error.message } : { notices: messages }).toEqual(
      error === undefined ? { notices } : { error },
    );
  });
});
