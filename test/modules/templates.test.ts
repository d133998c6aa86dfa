import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../../shared/compiler/compile.ts';
import { ParseCache } from '../../shared/compiler/manifest-parser.ts';
import { openDirectoryEnvironment } from '../../shared/environment/directory-environment.ts';
import { NO_RECORDER } from '../../shared/environment/inputs.ts';
import { readFacts } from '../../shared/local/node-files.ts';
import { createWasmRuby } from '../../shared/ruby/wasm-host.ts';
import { PuppetHash } from '../../shared/types/puppet-hash.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { PROFILES, renderingCode } from './template-codes.ts';

const FACTS = join(import.meta.dirname, 'facts.json');

interface Rendering {
  readonly name: string;
  readonly code: string;
}

interface Outcome {
  readonly name: string;
  readonly message?: unknown;
  readonly error?: string;
}

describe.skipIf(!hasModules())('ERB templates of packaged modules', () => {
  const ruby = createWasmRuby();
  const parseCache = new ParseCache();
  const facts = readFacts(FACTS);
  let repo: string;

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-templates-'));
    writeControlRepo(repo, new Map());
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
  });

  /** By `module/path` as `template` names them. */
  function templates(): ReadonlyMap<string, string> {
    const environment = openDirectoryEnvironment(repo, 'production', NO_RECORDER);
    const found = new Map<string, string>();
    const collect = (folder: string, name: string): void => {
      for (const entry of environment.list(folder) ?? []) {
        const path = `${folder}/${entry}`;
        if (environment.kindOf(path) === 'directory') collect(path, `${name}/${entry}`);
        else if (entry.endsWith('.erb')) found.set(`${name}/${entry}`, path);
      }
    };
    for (const module of environment.modules()) collect(`${module.root}/templates`, module.name);
    return found;
  }

  function render({ name, code }: Rendering): Outcome {
    const result = compile({
      node: {
        certname: 'n.example.com',
        environment: 'production',
        facts,
        trusted: new PuppetHash(),
        serverFacts: null,
        parameters: new PuppetHash(),
        classes: [],
      },
      environment: openDirectoryEnvironment(repo, 'production', NO_RECORDER),
      settings: { strict: 'warning', strictVariables: true, tasks: false, storeconfigs: false },
      inputs: NO_RECORDER,
      exportsOf: () => [],
      parseCache,
      code,
      ruby,
    });
    if (result.status === 'needs') throw new Error('the code collects nothing');
    if (result.status === 'failed') return { name, error: result.error.message };
    const catalog: { resources: { type: string; title: string; parameters?: { message: unknown } }[] } = JSON.parse(
      result.catalog,
    );
    const out = catalog.resources.find(({ type, title }) => type === 'Notify' && title === 'out');
    return { name, message: out?.parameters?.message };
  }

  it('compile', () => {
    const broken = [...templates()].flatMap(([name, path]) => {
      try {
        ruby.checkTemplate({ path, text: readFileSync(path, 'utf8') });
        return [];
      } catch (error) {
        return [`${name}: ${String(error)}`];
      }
    });
    expect(templates().size).toBeGreaterThanOrEqual(370);
    expect(broken).toEqual([]);
  });

  it('give what real Puppet renders, byte by byte, or fail with its error', async () => {
    const renderings = [...templates()].flatMap(([name, path]) => {
      const text = readFileSync(path, 'utf8');
      return PROFILES.map((profile) => ({ name: `${name} (${profile})`, code: renderingCode(name, text, profile) }));
    });
    const [real, ours] = [await renderWithPuppet(repo, renderings), renderings.map(render)];
    const rendered = real.filter(({ message }) => message !== undefined);
    expect(rendered.length).toBeGreaterThan(700);
    expect(ours.map((one, index) => comparable(one, real[index] ?? one))).toEqual(
      real.map((one) => comparable(one, one)),
    );
  }, 300_000);
});

function renderWithPuppet(repo: string, renderings: readonly Rendering[]): Promise<Outcome[]> {
  const script = join(import.meta.dirname, 'compile-codes.rb');
  const modules = join(repo, 'environments', 'production', 'modules');
  const args = ['--disable=did_you_mean,error_highlight', '-EUTF-8', script, modules, FACTS];
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

/** Addresses of objects differ from run to run; where in Puppet's own Ruby code an error arose says nothing here. */
function comparable({ name, message, error }: Outcome, real: Outcome): Outcome {
  if (error === undefined) return { name, message };
  const text = error.replace(/0x[0-9a-f]+/g, '0x');
  return { name, error: PUPPET_PLACE.test(real.error ?? '') ? text.replace(PLACE, '') : text };
}

const PUPPET_PLACE = /Filepath: \S*\/puppet\/(?:util|parser)\/\S*\.rb\n/;
const PLACE = /Filepath: .*\n {2}Line: .*\n/;
