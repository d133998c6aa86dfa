import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../shared/moving-over/doctor/diagnose.ts';
import { openDirectoryEnvironment } from '../../shared/puppet/environment/directory-environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { DEFAULT_LANGUAGE } from '../../shared/puppet/levels/language.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';

/**
 * What of the packaged modules does not run, and why. `UPDATE_FIXTURES=1 vitest run
 * test/modules/doctor` writes it anew.
 */
const TABLE = join(import.meta.dirname, 'doctor.ours.txt');

describe.skipIf(!hasModules())('the doctor, of packaged modules', () => {
  const ruby = createWasmRuby();
  let repo: string;

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-doctor-'));
    writeControlRepo(repo, new Map());
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
  });

  it('says of everything whether it runs, and why not', () => {
    const { findings, modules } = diagnose({
      open: () => openDirectoryEnvironment(repo, 'production', NO_RECORDER),
      language: DEFAULT_LANGUAGE,
      codeDirectory: repo,
      ruby,
      now: () => 0,
      limitMs: 1,
    });
    const count = (area: string) => findings.filter((one) => one.area === area).length;
    expect(modules.length).toBeGreaterThanOrEqual(93);
    expect(count('Ruby functions')).toBeGreaterThanOrEqual(237);
    expect(count('resource types')).toBeGreaterThanOrEqual(238);
    expect(count('ERB templates')).toBeGreaterThanOrEqual(374);
    const table = findings
      .filter(({ verdict, area }) => verdict !== 'runs' && area !== 'modules')
      .map(({ verdict, area, module, name, reason }) => `${verdict}\t${area}\t${module}\t${name}\t${reason}\n`)
      .join('');
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync(TABLE, table);
    expect(table).toBe(readFileSync(TABLE, 'utf8'));
  });
});
