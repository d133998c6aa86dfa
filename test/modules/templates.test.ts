/**
 * ERB templates of packaged modules: what they give here, mostly without Ruby, what Ruby makes of
 * all of them, and what real Puppet does.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openUnchangingEnvironments } from '../../shared/puppet/environment/directory-environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { NativeTemplates } from '../../shared/puppet/ruby/native/native-templates.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { RecordedAnswers } from '../helpers/recorded-answers.ts';
import { moduleSources, rubySources, sourcesOf } from '../helpers/reference-sources.ts';
import { comparable, type Outcome, type Rendering, renderHere } from './both-renderings.ts';
import { hasModules, installedModules, writeControlRepo } from './installed-modules.ts';
import { puppetAnswers, renderedWithPuppet } from './puppet-answers.ts';
import { PROFILES, renderingCode, templatesOf } from './template-codes.ts';

/**
 * Which templates are rendered without Ruby, each with the values that it had. Lines are only ever
 * added.
 */
const BASELINE = join(import.meta.dirname, 'native-templates.ours.txt');

const answers = puppetAnswers('templates', import.meta.filename, 'compile-codes.rb');
/** Digests of what Ruby gives. It renders again when something else comes out here. */
const ofRuby = new RecordedAnswers({
  name: 'templates-ruby',
  test: import.meta.filename,
  sources: () => ({
    ...rubySources(),
    ...moduleSources(installedModules(), 'all'),
    ...sourcesOf(import.meta.dirname, ['facts.json']),
  }),
});
afterAll(() => {
  for (const one of [answers, ofRuby]) one.finish();
});

describe.skipIf(!hasModules())('ERB templates of packaged modules', () => {
  const [here, judge] = [createWasmRuby(), createWasmRuby({ rendersAll: true })];
  const native = new Set<string>();
  let repo: string;
  let templates: readonly { readonly name: string; readonly path: string; readonly text: string }[];
  let renderings: readonly Rendering[];
  let real: readonly Outcome[];
  /** What each gives, by the Ruby that was asked. */
  let given: ReadonlyMap<typeof here, readonly Outcome[]>;

  beforeAll(async () => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-templates-'));
    writeControlRepo(repo, new Map());
    templates = Array.from(templatesOf(repo), ([name, path]) => ({ name, path, text: readFileSync(path, 'utf8') }));
    renderings = templates.flatMap(({ name, text }) =>
      PROFILES.map((profile) => ({ name: `${name} (${profile})`, code: renderingCode(name, text, profile) })),
    );
    const open = openUnchangingEnvironments(repo, 'production');
    const render = vi.spyOn(NativeTemplates.prototype, 'render');
    const ours = renderings.map((one) => {
      render.mockClear();
      const outcome = renderHere(one, open(NO_RECORDER), here);
      if (render.mock.results.every(({ value }) => typeof value === 'string')) native.add(one.name);
      return outcome;
    });
    render.mockRestore();
    const renderInRuby = () => renderings.map((one) => renderHere(one, open(NO_RECORDER), judge));
    const recorded = ofRuby.get(renderings, () => renderInRuby().map(digestOf));
    const judged = isDeepStrictEqual(recorded, ours.map(digestOf)) ? ours : renderInRuby();
    given = new Map([
      [here, ours],
      [judge, judged],
    ]);
    real = await renderedWithPuppet(join(repo, 'environments', 'production', 'modules'), renderings, answers);
  });

  /** Without the addresses that objects have, and without the folder of this run. */
  function digestOf(outcome: Outcome): string {
    const text = JSON.stringify(outcome).replaceAll(/0x[0-9a-f]+/g, '0x');
    return digestSha256(text.replaceAll(repo, '/repo')).slice(0, 16);
  }

  afterAll(() => {
    here.close();
    judge.close();
    rmSync(repo, { recursive: true, force: true });
    vi.restoreAllMocks();
  });

  it('give the same without Ruby and in Ruby', () => {
    expect(given.get(here)).toEqual(given.get(judge));
  });

  it('are mostly rendered without Ruby', () => {
    const succeeded = (given.get(judge) ?? []).filter(({ error }) => error === undefined).map(({ name }) => name);
    const without = succeeded.filter((name) => native.has(name));
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync(BASELINE, `${without.join('\n')}\n`);
    console.log(`${without.length} of ${succeeded.length} renderings of templates need no Ruby`);
    const expected = readFileSync(BASELINE, 'utf8').trim().split('\n');
    expect(expected.filter((name) => !without.includes(name))).toEqual([]);
    expect(without.length / succeeded.length).toBeGreaterThan(0.9);
  });

  describe.each([
    ['here where that is possible', here],
    ['by Ruby', judge],
  ])('rendered %s', (_, ruby) => {
    it('compile', () => {
      const broken = templates.flatMap(({ name, path, text }) => {
        try {
          ruby.checkTemplate({ path, text });
          return [];
        } catch (error) {
          return [`${name}: ${String(error)}`];
        }
      });
      expect(templates.length).toBeGreaterThanOrEqual(370);
      expect(broken).toEqual([]);
    });

    it('give what real Puppet renders, byte by byte, or fail with its error', () => {
      expect(real.filter(({ message }) => message !== undefined).length).toBeGreaterThan(700);
      expect(given.get(ruby)?.map((one, index) => comparable(one, real[index] ?? one))).toEqual(
        real.map((one) => comparable(one, one)),
      );
    });
  });
});
