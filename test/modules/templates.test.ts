import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openUnchangingEnvironments } from '../../shared/puppet/environment/directory-environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { comparable, renderHere } from './both-renderings.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { puppetAnswers, renderedWithPuppet } from './puppet-answers.ts';
import { PROFILES, renderingCode, templatesOf } from './template-codes.ts';

const answers = puppetAnswers('templates', import.meta.filename, 'compile-codes.rb');
afterAll(() => answers.finish());

describe.skipIf(!hasModules()).each([
  ['here where that is possible', false],
  ['by Ruby', true],
])('ERB templates of packaged modules, rendered %s', (_, rendersAll) => {
  const ruby = createWasmRuby({ rendersAll });
  let repo: string;

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-templates-'));
    writeControlRepo(repo, new Map());
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
  });

  const templates = (): ReadonlyMap<string, string> => templatesOf(repo);

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
    const open = openUnchangingEnvironments(repo, 'production');
    const [real, ours] = [
      await renderedWithPuppet(join(repo, 'environments', 'production', 'modules'), renderings, answers),
      renderings.map((one) => renderHere(one, open(NO_RECORDER), ruby)),
    ];
    const rendered = real.filter(({ message }) => message !== undefined);
    expect(rendered.length).toBeGreaterThan(700);
    expect(ours.map((one, index) => comparable(one, real[index] ?? one))).toEqual(
      real.map((one) => comparable(one, one)),
    );
  }, 300_000);
});
