import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitSourceStore } from '../../shared/fleet/sources/code-source-store.ts';
import type { LocalSite } from '../helpers/local-site.ts';
import { CLOSED, type TaintedSite, waitUntil } from './tainted-site.ts';

/** Sources of code whose URLs have credentials, and calls of a webhook. */
export async function addSources(tainted: TaintedSite): Promise<void> {
  const { marks, site, stores } = tainted;
  const secret = marks.of('webhook: the secret');
  const secretFile = join(site.data, '../webhook-secret');
  writeFileSync(secretFile, secret);
  const store = new GitSourceStore(stores);
  const common = { key: null, prefix: 'git', secretFile: null, author: null };
  const login = (name: string) => marks.of(`git: ${name}`);
  const slash = `http://user:${login('a password with a slash')}/x=@${CLOSED}/d.git`;
  await store.put({ ...common, name: 'slash', url: slash });
  const password = `http://user:${login('a password in a URL')}@${CLOSED}/a.git`;
  await store.put({ ...common, name: 'password', url: password, secretFile });
  await store.put({ ...common, name: 'token', url: `http://${login('a token in a URL')}@${CLOSED}/b.git` });
  const inPuppetfile = `http://user:${login('a password in a Puppetfile')}@${CLOSED}/m.git`;
  const folder = makeRepository(site, 'puppetfile', `mod 'm', :git => '${inPuppetfile}'`);
  await store.put({ ...common, name: 'puppetfile', url: `file://${folder}` });
  const forge = makeRepository(site, 'forge', "mod 'acme/none', '1.0.0'");
  await store.put({ ...common, name: 'forge', prefix: 'forge', url: `file://${forge}` });
  const byUser = `https://user:${login('a password in a URL of a user')}@127.0.0.1:9/c.git`;
  await tainted.send('console', 'PUT', '/understudy/v1/code-sources/user', { url: byUser });
  const malformed = `exec://user:${login('a password in a malformed URL')}@127.0.0.1/c.git`;
  await tainted.send('console', 'PUT', '/understudy/v1/code-sources/odd', { url: malformed }, 400);
  for (const name of ['token', 'slash', 'puppetfile', 'forge', 'user']) {
    await tainted.send('console', 'POST', `/understudy/v1/code-sources/${name}/sync`, {});
  }
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const path = '/understudy/v1/code-sources/password/webhook';
  for (const header of [
    ['X-Gitlab-Token', secret],
    ['X-Gitlab-Token', `${secret}x`],
    ['X-Hub-Signature-256', `sha256=${signature}`],
  ] as const) {
    await site.ask({ port: 'frontDoor', method: 'POST', path, headers: [header], body });
  }
  await waitUntil(async () => {
    const { body: sources } = await tainted.send('console', 'GET', '/understudy/v1/code-sources', undefined);
    const found: { name: string; lastSync: { isRunning: boolean } | null }[] = JSON.parse(sources).sources;
    return found.every(({ lastSync }) => lastSync?.isRunning === false);
  });
}

function makeRepository(site: LocalSite, name: string, puppetfile: string): string {
  const folder = join(site.data, '..', name);
  mkdirSync(folder);
  runGit(folder, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, 'Puppetfile'), `${puppetfile}\n`);
  runGit(folder, 'add', '.');
  runGit(folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'm');
  return folder;
}

function runGit(folder: string, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}
