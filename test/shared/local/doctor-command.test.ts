import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addDoctorCommand } from '../../../shared/local/doctor-command.ts';

let repo: string;
beforeEach(() => {
  repo = mkdtempSync(join(tmpdir(), 'understudy-doctor-'));
});
afterEach(() => rmSync(repo, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(repo, path)), { recursive: true });
  writeFileSync(join(repo, path), text);
}

async function doctor(...args: readonly string[]): Promise<{ text: string; code: number | null }> {
  const printed: string[] = [];
  let code: number | null = null;
  const program = new Command().exitOverride();
  addDoctorCommand(program, {
    print: async (text) => void printed.push(text),
    warn: () => undefined,
    exit: (status) => {
      code = status;
    },
    now: () => 0,
  });
  await program.parseAsync(['doctor', '--control-repo', repo, ...args], { from: 'user' });
  return { text: printed.join(''), code };
}

describe('understudy doctor', () => {
  it('ends with 0 where all runs, environment by environment', async () => {
    write('environments/one/manifests/site.pp', 'notify { "a": }');
    write('environments/two/manifests/site.pp', 'notify { "a": }');
    const { text, code } = await doctor();
    expect([code, text.match(/^Environment .*$/gm)]).toEqual([
      0,
      [`Environment one: ${repo}/environments/one`, `Environment two: ${repo}/environments/two`],
    ]);
    expect(text).toContain('Ruby of modules runs in WebAssembly');
  });

  it('ends with 1 where something does not run, and gives it as JSON', async () => {
    write('environments/one/manifests/site.pp', 'notify { "a" }');
    const { text, code } = await doctor('--environment', 'one', '--format', 'json');
    const { environments } = JSON.parse(text);
    expect(code).toBe(1);
    expect(environments[0].findings.filter(({ verdict }: { verdict: string }) => verdict !== 'runs')).toEqual([
      {
        area: 'manifests',
        module: null,
        name: 'manifests/site.pp',
        verdict: 'invalid',
        reason: expect.stringMatching(/^Syntax error at '}'/),
        file: `${repo}/environments/one/manifests/site.pp`,
        line: 1,
      },
    ]);
  });

  it('takes a folder that is one environment', async () => {
    write('manifests/site.pp', 'notify { "a": }');
    expect((await doctor()).text).toContain(`Environment production: ${repo}\n`);
  });

  it('refuses what is no control repo, and an environment that is not there', async () => {
    await expect(doctor()).rejects.toThrow(`control repo '${repo}' has no environments`);
    write('environments/one/manifests/site.pp', '');
    await expect(doctor('--environment', 'nosuch')).rejects.toThrow(
      "Could not find a directory environment named 'nosuch' anywhere in the path",
    );
  });
});
