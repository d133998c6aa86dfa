import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'ruby');

const NODE = {
  name: 'n1',
  environment: 'production',
  facts: {
    os: { name: 'Debian', family: 'Debian', release: { major: '12' } },
    ips: ['1.1.1.1', '2.2.2.2'],
    hostname: 'n1',
  },
};

/** Returns the cases of a topic in `test/fixtures/ruby`, each as the text of a parity case. */
export function readRubyCases(topic: string): string[] {
  const folder = join(FIXTURES, topic);
  const files = Object.fromEntries(filesUnder(folder, 'env'));
  return sourcesIn(folder).map(([id, source]) =>
    JSON.stringify({
      id,
      kind: 'compile',
      via: 'compile',
      source,
      settings: { strict: 'error', strict_variables: true },
      node: NODE,
      files,
      modulepath: ['env/modules'],
    }),
  );
}

/**
 * Reads the sources of a folder. Each `NAME.pp` is a case; `cases.pp` contains several, each after
 * a line `#### NAME`.
 */
function sourcesIn(folder: string): readonly (readonly [id: string, source: string])[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pp'));
  return names.sort().flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    if (name !== 'cases.pp') return [[basename(name, '.pp'), text] as const];
    return [...text.matchAll(/^#### (.+)\n([\s\S]*?)(?=^#### |(?![\s\S]))/gm)].map(
      ([, id = '', source = '']) => [id, source] as const,
    );
  });
}

/** Returns what real Puppet did, by the name of the case. */
export function readRubyOutcomes(topic: string): ReadonlyMap<string, unknown> {
  const lines = readFileSync(join(FIXTURES, topic, 'outcomes.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  return new Map(lines.map((line) => [JSON.parse(line).id, JSON.parse(line)]));
}

function filesUnder(folder: string, path: string): [string, string][] {
  if (!statSync(join(folder, path)).isDirectory()) return [[path, readFileSync(join(folder, path), 'utf8')]];
  return readdirSync(join(folder, path)).flatMap((name) => filesUnder(folder, `${path}/${name}`));
}
