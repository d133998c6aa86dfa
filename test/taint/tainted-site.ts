import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import { readAuthorityKeys } from '../../shared/access/ca/authority-record.ts';
import { ServerCredentialStore } from '../../shared/access/ca/server-credentials.ts';
import { listReports } from '../../shared/fleet/nodes/node-reports.ts';
import { GitSourceStore } from '../../shared/fleet/sources/code-source-store.ts';
import { KeptValueRecords } from '../../shared/fleet/values/kept-value-records.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { ADMINISTRATOR, LocalSite, type PortName, type SiteAnswer, type SiteRequest } from '../helpers/local-site.ts';
import { FAILING, KEY_VARIABLE, makeCode, OTHER, OWNER } from './code.ts';
import type { Marks } from './marks.ts';
import type { PathValues } from './walk.ts';

/** Nothing listens there. */
const CLOSED = '127.0.0.1:9';
/** Users of the standard roles, with the ids of these. */
const USERS = [
  ['Operators', 2],
  ['Viewers', 3],
  ['Code Deployers', 4],
] as const;

/** A line of a key of RSA with digits of its secret part: the public part comes first. */
export function bodyOfKey(pem: string): string {
  return pem.split('\n')[14] ?? pem;
}

/** A server of `npm start` into which secrets came by every way. */
export class TaintedSite {
  readonly site: LocalSite;
  readonly stores: EmbeddedStores;
  readonly access: AccessService;
  readonly marks: Marks;
  /** Tokens by the name of their role. */
  readonly tokens = new Map<string, string>();

  private constructor(site: LocalSite, marks: Marks) {
    this.site = site;
    this.marks = marks;
    this.stores = openEmbeddedStores(site.data);
    this.access = new AccessService({ ...this.stores, secrets: systemSecrets });
  }

  static async open(marks: Marks): Promise<TaintedSite> {
    const { files, key } = makeCode(marks);
    marks.add('key: of encrypted data', bodyOfKey(key));
    const site = await LocalSite.open([OWNER, OTHER, FAILING], files, {
      variables: {
        [KEY_VARIABLE]: key,
        UNDERSTUDY_EYAML_VARIABLES: KEY_VARIABLE,
        UNDERSTUDY_REPORT_URL: `http://reporter:${marks.of('setting: a password in report-url')}@${CLOSED}/reports`,
      },
      flags: (folder) => [
        ...['--access-log', join(folder, 'access.log')],
        ...['--forge', `http://forge:${marks.of('setting: a password in forge')}@${CLOSED}`],
      ],
      prepare: (data) => {
        writeFileSync(join(data, 'ca-key-file'), marks.of('key: the file that seals keys'), { mode: 0o600 });
        writeFileSync(join(data, 'values-key-file'), marks.of('key: the file that seals values'), { mode: 0o600 });
      },
    });
    marks.add('token: of an administrator', site.token);
    const tainted = new TaintedSite(site, marks);
    await tainted.#noteKeys();
    return tainted;
  }

  /** Asks as a user, with JSON. Throws unless the answer has a status below 400 or this one. */
  async send(port: PortName, method: string, path: string, body: unknown, expected = 0): Promise<SiteAnswer> {
    const answer = await this.ask(port, method, path, body);
    if (answer.status < 400 || answer.status === expected) return answer;
    throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  }

  ask(port: PortName, method: string, path: string, body: unknown, more: Partial<SiteRequest> = {}) {
    const headers = [
      ['Content-Type', 'application/json'],
      ['X-Authentication', this.site.token],
      ['X-Understudy-Console', '1'],
    ] as const;
    return this.site.ask({ port, method, path, headers, body: JSON.stringify(body), ...more });
  }

  /** Lets a node ask for its catalog, until it gets one or its failure. */
  async getCatalog(certname: string, facts: Readonly<Record<string, unknown>> = {}): Promise<SiteAnswer> {
    const form = new URLSearchParams({
      environment: 'production',
      facts_format: 'application/json',
      facts: encodeURIComponent(JSON.stringify({ name: certname, values: facts })),
    });
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const answer = await this.site.ask({
        port: 'frontDoor',
        method: 'POST',
        path: `/puppet/v3/catalog/${certname}?environment=production`,
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: form.toString(),
        who: certname,
      });
      if (answer.status !== 503) return answer;
      await setTimeout(100);
    }
    throw new Error(`${certname} got no catalog`);
  }

  /** Users with passwords, who log in, and one who cannot. */
  async addUsers(): Promise<void> {
    for (const [name, role] of USERS) {
      const login = name.toLowerCase().replace(' ', '-');
      const password = this.marks.specialOf(`password: of ${name}`);
      const names = { login, email: `${login}@example.com`, display_name: name, role_ids: [role] };
      await this.send('access', 'POST', '/rbac-api/v1/users', { ...names, password });
      const { body } = await this.send('access', 'POST', '/rbac-api/v1/auth/token', { login, password });
      this.tokens.set(name, this.marks.add(`token: of ${name}`, JSON.parse(body).token));
    }
    const wrong = { login: 'viewers', password: this.marks.of('password: a wrong one') };
    await this.send('access', 'POST', '/rbac-api/v1/auth/token', wrong, 401);
    const swapped = { login: this.marks.of('password: in the place of a login'), password: 'x' };
    await this.send('access', 'POST', '/rbac-api/v1/auth/token', swapped, 401);
    await this.send('console', 'POST', '/console/session', swapped, 401);
    const token = this.marks.of('token: an unknown one');
    for (const path of ['/orchestrator/v1/jobs', `/orchestrator/v1/jobs?token=${token}`]) {
      await this.ask('orchestrator', 'GET', path, undefined, { headers: [['X-Authentication', token]] });
    }
    await this.site.ask({ port: 'access', path: `/rbac-api/v1/users/current?token=${this.site.token}` });
  }

  /** Values of code, and what node groups and nodes say. */
  async addData(): Promise<void> {
    const kept = [{ name: 'site/app', from: null, text: this.marks.of('kept value: of a module') }];
    await new KeptValueRecords(this.stores).store('production', kept, 'test');
    const parent = '00000000-0000-4000-8000-000000000000';
    const classes = { 'site::grouped': { password: this.marks.of('node group: a parameter of a class') } };
    const group = { name: 'Secret', parent, environment: 'production', classes, rule: ['=', 'name', 'none'] };
    await this.send('access', 'POST', '/classifier-api/v1/groups', group);
    const content = this.marks.of('file bucket: a file of a node');
    await this.site.ask({
      port: 'frontDoor',
      method: 'PUT',
      path: `/puppet/v3/file_bucket_file/md5/${md5Of(content)}?environment=production`,
      headers: [['Content-Type', 'application/octet-stream']],
      body: content,
      who: OWNER,
    });
  }

  /** Sources of code whose URLs have credentials, and calls of a webhook. */
  async addSources(): Promise<void> {
    const secret = this.marks.of('webhook: the secret');
    const secretFile = join(this.site.data, '../webhook-secret');
    writeFileSync(secretFile, secret);
    const store = new GitSourceStore(this.stores);
    const common = { key: null, prefix: 'git', secretFile: null, author: null };
    const login = (name: string) => this.marks.of(`git: ${name}`);
    const password = `http://user:${login('a password in a URL')}@${CLOSED}/a.git`;
    await store.put({ ...common, name: 'password', url: password, secretFile });
    await store.put({ ...common, name: 'token', url: `http://${login('a token in a URL')}@${CLOSED}/b.git` });
    const folder = this.#makeRepository(`http://user:${login('a password in a Puppetfile')}@${CLOSED}/m.git`);
    await store.put({ ...common, name: 'puppetfile', url: `file://${folder}` });
    const byUser = `https://user:${login('a password in a URL of a user')}@127.0.0.1:9/c.git`;
    await this.send('console', 'PUT', '/understudy/v1/code-sources/user', { url: byUser });
    const malformed = `exec://user:${login('a password in a malformed URL')}@127.0.0.1/c.git`;
    await this.send('console', 'PUT', '/understudy/v1/code-sources/odd', { url: malformed }, 400);
    for (const name of ['token', 'puppetfile', 'user']) {
      await this.send('console', 'POST', `/understudy/v1/code-sources/${name}/sync`, {});
    }
    const body = JSON.stringify({ ref: 'refs/heads/main' });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const path = '/understudy/v1/code-sources/password/webhook';
    for (const header of [
      ['X-Gitlab-Token', secret],
      ['X-Gitlab-Token', `${secret}x`],
      ['X-Hub-Signature-256', `sha256=${signature}`],
    ] as const) {
      await this.site.ask({ port: 'frontDoor', method: 'POST', path, headers: [header], body });
    }
    await waitUntil(async () => {
      const { body: sources } = await this.send('console', 'GET', '/understudy/v1/code-sources', undefined);
      const found: { name: string; lastSync: { isRunning: boolean } | null }[] = JSON.parse(sources).sources;
      return found.every(({ lastSync }) => lastSync?.isRunning === false);
    });
  }

  /** Values for the parameters of paths, of what there is. */
  async listPathValues(): Promise<PathValues> {
    const items = async (path: string, port: PortName = 'access'): Promise<readonly string[]> => {
      const { body } = await this.send(port, 'GET', path, undefined);
      const found: { id?: unknown; name?: unknown }[] = JSON.parse(body).items ?? JSON.parse(body);
      return found.map(({ id, name }) => String(name !== undefined && port === 'orchestrator' ? name : id));
    };
    const [report] = await listReports(this.stores, { certname: OWNER, limit: 1 });
    const jobs = await items('/orchestrator/v1/jobs', 'orchestrator');
    const schedules = await items('/orchestrator/v1/scheduled_jobs', 'orchestrator');
    return {
      certname: [OWNER, FAILING],
      node: [OWNER],
      environment: ['production'],
      'users/id': await items('/rbac-api/v1/users'),
      'roles/id': (await items('/rbac-api/v1/roles')).slice(0, 3),
      'groups/id': await items('/classifier-api/v1/groups'),
      'jobs/job': jobs,
      'plan_jobs/job': (await this.stores.jobs.list('plan', 0, 10)).map(({ number }) => String(number)),
      'scheduled_jobs/job': schedules,
      'environment_jobs/job': schedules,
      'job-files/job': jobs,
      sha256: [digestSha256(this.marks.of('task: an uploaded file'))],
      module: ['site', 'bolt_shim'],
      'site/name': ['deploy', 'roll'],
      'bolt_shim/name': ['upload'],
      uuid: [report?.transactionUuid ?? 'none'],
    };
  }

  async close(): Promise<void> {
    this.stores.close();
    await this.site.stop();
  }

  /** The private keys that the authority and the server have. */
  async #noteKeys(): Promise<void> {
    const { documents } = this.stores;
    const vault = openKeyFileVault(join(this.site.data, 'ca-key-file'), false);
    const { key, rootKey } = await readAuthorityKeys(documents, vault);
    this.marks.add('key: of the authority', bodyOfKey(key));
    if (rootKey !== null) this.marks.add('key: of the root', bodyOfKey(rootKey));
    const own = await new ServerCredentialStore(documents, vault, false).find('localhost');
    if (own !== null) this.marks.add('key: of the server', bodyOfKey(own.key));
    const { key: administrator } = this.site.credentialsOf(ADMINISTRATOR);
    this.marks.add('key: of an administrator', bodyOfKey(String(administrator)));
  }

  #makeRepository(moduleUrl: string): string {
    const folder = join(this.site.data, '../repository');
    mkdirSync(folder);
    runGit(folder, 'init', '--quiet', '--initial-branch=main');
    writeFileSync(join(folder, 'Puppetfile'), `mod 'm', :git => '${moduleUrl}'\n`);
    runGit(folder, 'add', '.');
    runGit(folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'm');
    return folder;
  }
}

/** Waits for what ends. */
export async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await setTimeout(50);
}

const md5Of = (text: string) => createHash('md5').update(text).digest('hex');

function runGit(folder: string, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}
