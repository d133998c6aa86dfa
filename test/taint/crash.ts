import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FAILING, OWNER } from './code.ts';
import { DAY_MS } from './day.ts';
import type { SecondLife } from './second-life.ts';
import type { TaintedSite } from './tainted-site.ts';

/** Sends bodies that are no JSON to routes that read secrets: only their senders may see why. */
export async function sendMalformed(tainted: TaintedSite): Promise<void> {
  const text = tainted.marks.of('failure: a body that is no JSON');
  for (const body of [text, `{"password":"${text}" x}`, `{"params":{"password":${text}`]) {
    const headers = [
      ['Content-Type', 'application/json'],
      ['X-Authentication', tainted.token],
      ['X-Understudy-Console', '1'],
    ] as const;
    const post = (port: 'access' | 'console' | 'orchestrator', path: string) =>
      tainted.site.ask({ port, method: 'POST', path, headers, body });
    await post('access', '/rbac-api/v1/auth/token');
    await post('console', '/console/session');
    await post('orchestrator', '/orchestrator/v1/command/task');
    await post('console', '/understudy/v1/code-sources/password/webhook');
    const path = `/puppet/v3/report/${FAILING}?environment=production`;
    await tainted.site.ask({
      port: 'frontDoor',
      method: 'PUT',
      path,
      headers: headers.slice(0, 1),
      body,
      who: FAILING,
    });
  }
}

/** A URL that is none, with a secret: an error about it has all of it, and its message nothing. */
const faultOf = ({ marks }: TaintedSite, name: string) => `http://user:${marks.of(name)}@no host/`;

/** Ends a compile worker by a fault, and has the next one compile. */
export async function endWorker(tainted: TaintedSite, life: SecondLife): Promise<void> {
  const restarted = life.waitFor(/A compile worker ended and is restarted: [\s\S]*Invalid URL/);
  tainted.day.fail('worker', faultOf(tainted, 'failure: a fault of a worker'));
  await restarted;
  await tainted.getCatalog(OWNER, { other: 'fact' });
}

/** Damages the row that has the roles; returns what a reader gets after the daily check. */
export async function damageRoles(tainted: TaintedSite, life: SecondLife): Promise<string> {
  const database = new DatabaseSync(join(tainted.site.data, 'understudy.db'), { timeout: 10_000 });
  database.function('row_digest', { varargs: true, deterministic: true }, () => 0);
  database.exec("UPDATE documents SET document = replace(document, 'Viewers', 'viewers') WHERE key = 'roles'");
  database.close();
  const checked = life.waitFor(/The row 'access, roles' of table documents is damaged/);
  tainted.day.pass(DAY_MS);
  await checked;
  return (await tainted.ask('access', 'GET', '/rbac-api/v1/roles', undefined)).body;
}

/** Ends the server by an error that nobody catches. */
export async function endServer(tainted: TaintedSite, life: SecondLife) {
  life.signal('SIGUSR1');
  tainted.day.fail('server', faultOf(tainted, 'failure: an uncaught error'));
  return life.end();
}
