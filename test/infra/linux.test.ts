import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readLocalOptions } from '../../shared/local/options.ts';

const ROOT = join(import.meta.dirname, '../..');
const LINUX = join(ROOT, 'infra/linux');
const folder = mkdtempSync(join(tmpdir(), 'understudy-linux-'));
const read = (name: string) => readFileSync(join(LINUX, name), 'utf8');
afterAll(() => rmSync(folder, { recursive: true }));

it('the settings of the package are settings of the server, those in comments, too', () => {
  const file = join(folder, 'server.yaml');
  writeFileSync(file, read('server.yaml').replace(/^# ([a-z-]+: \/.*)$/gm, '$1'));
  expect(readLocalOptions(['--config', file], { workers: 1 })).toMatchObject({
    host: '0.0.0.0',
    port: 8140,
    data: '/var/lib/understudy/data',
    accessLog: '/var/log/understudy/access.log',
    controlRepo: '/etc/puppetlabs/code',
    autosign: '/etc/understudy/autosign.conf',
  });
});

it('the unit starts what the package installs, as the user that it makes', () => {
  const unit = read('understudy.service');
  expect(unit).toContain('\nExecStart=/usr/bin/understudy server --config /etc/understudy/server.yaml\n');
  for (const user of ['\nUser=understudy\n', '\nGroup=understudy\n']) expect(unit).toContain(user);
  expect(read('postinst')).toContain(' understudy\n');
  expect(read('understudy.logrotate')).toMatch(/signal=HUP understudy\.service/);
});

it('a crash of any kind starts the server again, and leaves no core dump', () => {
  const unit = read('understudy.service');
  expect(unit).toContain('\nRestart=on-failure\n');
  expect(unit).toContain('\nLimitCORE=0\n');
  expect(unit).not.toContain('abort-on-uncaught-exception');
  const script = readFileSync(join(ROOT, 'functions/start-server'), 'utf8');
  expect(script).not.toContain('abort-on-uncaught-exception');
  // The limits of the process that the script becomes.
  const code = join(folder, 'local.ts');
  writeFileSync(
    code,
    "import { readFileSync } from 'node:fs'; console.log(readFileSync('/proc/self/limits', 'utf8'));",
  );
  const start = join(folder, 'start-server');
  writeFileSync(start, script, { mode: 0o755 });
  const limits = execFileSync('sh', ['-c', 'ulimit -S -c unlimited 2>/dev/null; exec "$0"', start], {
    encoding: 'utf8',
  });
  expect(limits).toMatch(/^Max core file size +0 /m);
});

it.each(['build-deb', 'postinst', 'prerm', 'postrm', '../../functions/understudy', '../../functions/start-server'])(
  '%s is a script of a POSIX shell',
  (name) => {
    execFileSync('sh', ['-n', join(LINUX, name)]);
  },
);

it('the container sets options of the server', () => {
  const variables = Object.fromEntries(
    [...readFileSync(join(ROOT, 'Containerfile'), 'utf8').matchAll(/(UNDERSTUDY_\w+)=(\S+)/g)].map(
      ([, name = '', value]) => [name, value],
    ),
  );
  expect(Object.keys(variables)).toEqual(['UNDERSTUDY_HOST', 'UNDERSTUDY_DATA']);
  expect(readLocalOptions([], { workers: 1 }, variables)).toMatchObject({
    host: '0.0.0.0',
    data: '/var/lib/understudy/data',
  });
});
