import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addPackageCommands } from '../../../../shared/cli/commands/package-commands.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-upload-'));
const data = join(folder, 'data');

beforeAll(() => openEmbeddedStores(data).close());
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['openvox-agent_8.28.1-1+debian12_amd64.deb', 'openvox-agent.deb'],
  ['openvox-agent-8.28.1-1.el9.x86_64.rpm', 'openvox-agent.rpm'],
  ['openvox-agent.msi', 'openvox-agent.msi'],
  ['puppet-agent_8.10.0-1bookworm_amd64.deb', 'puppet-agent.deb'],
  ['agent.dmg', 'puppet-agent.dmg'],
  ['openvox-agent.txt', 'openvox-agent.txt'],
])('uploads %s as what installers ask for: %s', async (file, name) => {
  const path = join(folder, file);
  writeFileSync(path, 'a package');
  let output = '';
  const program = new Command('understudy').exitOverride();
  const print = async (text: string) => {
    output += text;
  };
  addPackageCommands(program, print, {});
  const where = ['--package-version', '8.28.1', '--platform', 'el-9-x86_64', '--data', data];
  await program.parseAsync(['packages', 'upload', path, ...where], { from: 'user' });
  expect(output).toContain(`  /packages/8.28.1/el-9-x86_64/${name} (9 bytes)\n`);
});
