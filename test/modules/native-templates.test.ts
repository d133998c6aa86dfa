import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openUnchangingEnvironments } from '../../shared/puppet/environment/directory-environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { NativeTemplates } from '../../shared/puppet/ruby/native/native-templates.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { renderHere } from './both-renderings.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { PROFILES, renderingCode, templatesOf } from './template-codes.ts';

/**
 * Which templates are rendered without Ruby, each with the values that it had. Lines are only ever
 * added.
 */
const BASELINE = join(import.meta.dirname, 'native-templates.ours.txt');

describe.skipIf(!hasModules())('ERB templates of packaged modules', () => {
  const [here, judge] = [createWasmRuby(), createWasmRuby({ rendersAll: true })];
  let repo: string;

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-templates-'));
    writeControlRepo(repo, new Map());
  });

  afterAll(() => {
    here.close();
    judge.close();
    rmSync(repo, { recursive: true, force: true });
    vi.restoreAllMocks();
  });

  it('are mostly rendered without Ruby, and then as Ruby does', () => {
    const render = vi.spyOn(NativeTemplates.prototype, 'render');
    const native: string[] = [];
    let count = 0;
    const open = openUnchangingEnvironments(repo, 'production');
    for (const [template, path] of templatesOf(repo)) {
      for (const profile of PROFILES) {
        const name = `${template} (${profile})`;
        const code = renderingCode(template, readFileSync(path, 'utf8'), profile);
        const renderBy = (ruby: typeof here) => renderHere({ name, code }, open(NO_RECORDER), ruby);
        render.mockClear();
        const ours = renderBy(here);
        const results = render.mock.results.map(({ value }) => value);
        const theirs = renderBy(judge);
        expect(ours).toEqual(theirs);
        if (theirs.error !== undefined) continue;
        count += 1;
        if (results.every((result) => typeof result === 'string')) native.push(name);
      }
    }
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync(BASELINE, `${native.join('\n')}\n`);
    console.log(`${native.length} of ${count} renderings of templates need no Ruby`);
    const expected = readFileSync(BASELINE, 'utf8').trim().split('\n');
    expect(expected.filter((name) => !native.includes(name))).toEqual([]);
    expect(native.length / count).toBeGreaterThan(0.9);
  }, 300_000);
});
