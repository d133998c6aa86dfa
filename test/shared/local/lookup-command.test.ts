import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LookupCommand, lookupNode } from '../../../shared/local/lookup-command.ts';
import { hasPuppet } from '../../helpers/puppet.ts';

const REPO = join(import.meta.dirname, '../../fixtures/lookup');
const RECORDED = join(REPO, 'recorded.json');

type Situation = Partial<LookupCommand> & Pick<LookupCommand, 'keys'>;

interface Answer {
  readonly output?: string;
  readonly error?: string;
  readonly exitCode: number;
}

interface Recording {
  readonly version: string;
  readonly answers: readonly Answer[];
}

const situations: readonly Situation[] = JSON.parse(readFileSync(join(REPO, 'situations.json'), 'utf8'));
const recorded: Recording = JSON.parse(readFileSync(RECORDED, 'utf8'));

function ask(situation: Situation): Answer {
  const { output, log, exitCode } = lookupNode({
    node: 'n.example.com',
    controlRepo: REPO,
    environment: 'production',
    facts: join(REPO, 'facts.json'),
    sortMergedArrays: false,
    mergeHashArrays: false,
    explain: false,
    explainOptions: false,
    compile: false,
    ...situation,
  });
  const [, error] = /^Error: Could not run: (.*)$/s.exec(log.at(-1) ?? '') ?? [];
  return error === undefined ? { output: output.replaceAll(REPO, '/repo'), exitCode } : { error, exitCode };
}

describe('understudy lookup', () => {
  it.each(situations.map((situation, index) => [JSON.stringify(situation), situation, index] as const))(
    'prints what puppet lookup prints for %s',
    (_, situation, index) => {
      expect(ask(situation)).toEqual(recorded.answers[index]);
    },
  );

  it.skipIf(!hasPuppet())('is compared with what the installed Puppet prints', () => {
    const script = join(REPO, 'puppet-lookup.rb');
    const text = execFileSync('ruby', [script, join(REPO, 'situations.json'), REPO], { encoding: 'utf8' });
    const now: Recording = JSON.parse(text.replaceAll(REPO, '/repo'));
    expect(now.answers).toEqual(recorded.answers);
  });

  it.each([
    [{ keys: [] }, 'No keys were given to lookup.'],
    [{ keys: ['x'], merge: 'odd' }, "The --merge option only accepts 'first', 'hash', 'unique', or 'deep'"],
    [
      { keys: ['x'], merge: 'hash', sortMergedArrays: true },
      "The options --knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays are only available with '--merge deep'",
    ],
  ])('refuses %j', (situation, message) => {
    expect(() => ask(situation)).toThrow(message);
  });
});
