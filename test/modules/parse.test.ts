import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PuppetError } from '../../shared/puppet/errors/puppet-error.ts';
import { listNodes } from '../../shared/puppet/language/node-list.ts';
import { parseProgram } from '../../shared/puppet/language/parser.ts';
import { printPn } from '../../shared/puppet/language/pn.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { hasModules, installedModules, packages } from './installed-modules.ts';
import { puppetAnswers, runScript } from './puppet-answers.ts';

/**
 * What one side makes of a file: digests of the PN and of all nodes with their places, or the
 * error's message.
 */
interface Parsed {
  readonly path: string;
  readonly pn?: string;
  readonly nodes?: string;
  readonly error?: string;
}

const answers = puppetAnswers('manifests', import.meta.filename, 'dump-pn.rb', () => ({}));
afterAll(() => answers.finish());

function manifests(): string[] {
  return [...installedModules().values()].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.pp'))
      .map((name) => join(folder, name))
      .sort(),
  );
}

/** 64 bits of a digest. */
function digestOf(text: string): string {
  return digestSha256(text).slice(0, 16);
}

function parseHere(path: string): Parsed {
  try {
    const program = parseProgram(readFileSync(path, 'utf8'), { file: path });
    return { pn: digestOf(printPn(program)), nodes: digestOf(JSON.stringify(listNodes(program))), path };
  } catch (error) {
    if (error instanceof PuppetError) return { error: error.message, path };
    throw error;
  }
}

/** Paths, and the digest of what they have: this decides what Puppet answers. */
async function parseWithPuppet(paths: readonly string[]): Promise<readonly Parsed[]> {
  const texts = digestSha256(paths.map((path) => `${path}\0${readFileSync(path, 'utf8')}\0`).join(''));
  return answers.fetch([paths, texts], () => runScript<Parsed>('dump-pn.rb', [], `${paths.join('\n')}\n`));
}

describe.skipIf(!hasModules())('manifests of packaged modules', () => {
  it('are those of all packages', () => {
    expect(packages().length).toBeGreaterThanOrEqual(90);
    expect(installedModules().size).toBeGreaterThanOrEqual(90);
  });

  it('parse to the syntax tree that real Puppet makes, or fail with its error', async () => {
    const paths = manifests();
    expect(paths.length).toBeGreaterThan(1500);
    expect(paths.map(parseHere)).toEqual(await parseWithPuppet(paths));
  });
});
