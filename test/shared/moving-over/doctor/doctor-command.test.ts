import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDoctorCommand } from '../../../../shared/moving-over/doctor/doctor-command.ts';
import { processWeaknesses } from '../../../../shared/puppet/ruby/process/process-host.ts';

let repo = '';
beforeAll(() => {
  repo = mkdtempSync(join(tmpdir(), 'doctor-command-'));
  mkdirSync(join(repo, 'environments/production/manifests'), { recursive: true });
  writeFileSync(join(repo, 'environments/production/manifests/site.pp'), 'notify { a: }');
});
afterAll(() => rmSync(repo, { recursive: true }));

async function doctor(...args: readonly string[]): Promise<string> {
  const program = new Command();
  const printed: string[] = [];
  addDoctorCommand(program, {
    print: async (text) => void printed.push(text),
    warn: (line) => printed.push(line),
    exit: (code) => printed.push(`exit ${code}\n`),
    now: () => 0,
  });
  await program.parseAsync(['doctor', '--control-repo', repo, ...args], { from: 'user' });
  return printed.join('');
}

describe('understudy doctor', () => {
  it('ends with what is weaker where Ruby runs as a process', async () => {
    const text = await doctor();
    expect(text).toMatch(/^exit 0\nEnvironment production: .*\n/);
    const told = text.slice(text.indexOf('Ruby of modules')).replaceAll(/\s+/g, ' ');
    const weaknesses = processWeaknesses({}, 0).map((weakness) => `- ${weakness} `);
    expect(weaknesses).toHaveLength(3);
    expect(told).toContain(`but: ${weaknesses.join('')}Run it as a separate user`);
    expect(text.split('\n').filter((line) => line.length > 80 && !line.startsWith('Environment'))).toEqual([]);
  });

  it('tells programs the same', async () => {
    const told = JSON.parse((await doctor('--format', 'json')).replace('exit 0\n', ''));
    expect(told).toMatchObject({ rubyHost: 'wasm', environments: [{ environment: 'production' }] });
    expect(told.processWeaknesses).toEqual(processWeaknesses({}, 0));
  });
});
