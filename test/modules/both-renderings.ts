import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { readFacts } from '../../shared/cli/commands/node-files.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import type { Environment } from '../../shared/puppet/environment/environment.ts';
import type { RubyPort } from '../../shared/puppet/evaluator/ruby-port.ts';
import { compileCode } from './compile-code.ts';

const FACTS = join(import.meta.dirname, 'facts.json');

/** Puppet code that puts something into the message of `Notify[out]`. */
export interface Rendering {
  readonly name: string;
  readonly code: string;
}

/** The message, or the error's. */
export interface Outcome {
  readonly name: string;
  readonly message?: unknown;
  readonly error?: string;
}

const facts = readFacts(FACTS);
const parseCache = new ParseCache();

/** What this compiler makes of it. */
export function renderHere({ name, code }: Rendering, environment: Environment, ruby: RubyPort): Outcome {
  const result = compileCode({ facts, environment, parseCache, code, ruby });
  if (result.status === 'failed') return { name, error: result.error.message };
  const catalog: { resources: { type: string; title: string; parameters?: { message: unknown } }[] } = JSON.parse(
    result.catalog,
  );
  const out = catalog.resources.find(({ type, title }) => type === 'Notify' && title === 'out');
  return { name, message: out?.parameters?.message };
}

/**
 * What real Puppet makes of them, with the modules in that folder; `anew`: with an environment of
 * its own for each.
 */
export function renderWithPuppet(
  modules: string,
  renderings: readonly Rendering[],
  anew: readonly 'anew'[] = [],
): Promise<Outcome[]> {
  const script = join(import.meta.dirname, 'compile-codes.rb');
  const args = ['--disable=error_highlight', '-EUTF-8', script, modules, FACTS, ...anew];
  return new Promise((resolve, reject) => {
    const child = execFile('ruby', args, { maxBuffer: 1 << 28 }, (error, stdout) => {
      if (error) reject(error);
      else
        resolve(
          stdout
            .trim()
            .split('\n')
            .map((line): Outcome => JSON.parse(line)),
        );
    });
    child.stdin?.end(renderings.map((rendering) => `${JSON.stringify(rendering)}\n`).join(''));
  });
}

/**
 * Addresses of objects differ from run to run; where in Puppet's own Ruby code an error arose says
 * nothing here.
 */
export function comparable({ name, message, error }: Outcome, real: Outcome): Outcome {
  if (error === undefined) return { name, message };
  const text = error.replace(/0x[0-9a-f]+/g, '0x');
  return { name, error: PUPPET_PLACE.test(real.error ?? '') ? text.replace(PLACE, '') : text };
}

const PUPPET_PLACE = /Filepath: \S*\/puppet\/(?:util|parser|pops)\/\S*\.rb\n/;
const PLACE = /Filepath: .*\n {2}Line: .*\n/;
