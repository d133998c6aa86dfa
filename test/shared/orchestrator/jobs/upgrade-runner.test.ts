import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { orderBuiltInTask } from '../../../../shared/orchestrator/jobs/built-in-tasks.ts';
import { readRunnerProgram } from '../../../../shared/orchestrator/runner/runner-program.ts';
import { hasRuby } from '../runner/runner-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-upgrade-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NEW = 'understudy_runner/files/understudy-runner.rb';
const { bytes, version } = readRunnerProgram();
const program = join(folder, 'opt/understudy-runner.rb');
const { files, params } = orderBuiltInTask(7, { name: 'understudy_runner::upgrade' }, {});
const named = params.files as readonly { readonly filename: string; readonly sha256: string }[];

function contentOf(filename: string): Uint8Array {
  const sha256 = named.find((one) => one.filename === filename)?.sha256;
  return files.find((one) => one.sha256 === sha256)?.bytes ?? new Uint8Array();
}

/** Runs the script for POSIX, as an agent would, but for the program's path. */
function upgrade(installed: Uint8Array | string, sent: Uint8Array | string = contentOf(NEW)) {
  mkdirSync(dirname(program), { recursive: true });
  if (installed === '') rmSync(program, { force: true });
  else writeFileSync(program, installed);
  const text = Buffer.from(contentOf('upgrade.sh')).toString();
  const script = text.replace('/opt/understudy-runner/', `${dirname(program)}/`).replace('/run/systemd/', `${folder}/`);
  const path = join(folder, 'installed', NEW);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, sent);
  const env = { ...process.env, PT__installdir: join(folder, 'installed') };
  const { status, stdout } = spawnSync('sh', ['-s'], { input: script.replace('cat > /dev/null\n', ''), env });
  return { status, result: JSON.parse(stdout.toString()) };
}

describe.skipIf(!hasRuby())('the task that upgrades the runner', () => {
  const old = Buffer.from(bytes).toString().replace(`VERSION = '${version}'`, "VERSION = '0.9.0'");

  it('puts the one of the server in its place', () => {
    expect(upgrade(old)).toEqual({ status: 0, result: { before: '0.9.0', after: version } });
    expect(readFileSync(program)).toEqual(Buffer.from(bytes));
    expect(upgrade(bytes)).toEqual({ status: 0, result: { before: version, after: version } });
  });

  it.each([
    ['There is no', '', undefined],
    ['The new runner does not start', old, 'this is (no Ruby'],
  ])('changes nothing otherwise: %s', (message, installed, sent) => {
    const { status, result } = upgrade(installed, sent);
    expect([status, result._error.msg]).toEqual([1, expect.stringContaining(message)]);
    if (installed !== '') expect(readFileSync(program, 'utf8')).toBe(old);
  });
});
