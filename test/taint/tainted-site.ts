import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import { readAuthorityKeys } from '../../shared/access/ca/authority-record.ts';
import { ServerCredentialStore } from '../../shared/access/ca/server-credentials.ts';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import { KeptValueRecords } from '../../shared/fleet/values/kept-value-records.ts';
import { KEY_FILE } from '../../shared/store/embedded/directory-files.ts';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { ADMINISTRATOR, LocalSite, type PortName, type SiteAnswer, type SiteRequest } from '../helpers/local-site.ts';
import { FAILING, KEY_VARIABLE, makeCode, OTHER, OWNER } from './code.ts';
import { DayControl } from './day-control.ts';
import type { Marks } from './marks.ts';
import type { PathValues } from './walk.ts';

const DAY_MS = 24 * 3600_000;
/** Nothing listens there. */
export const CLOSED = '127.0.0.1:9';
/** Users of the standard roles, with the ids of these. */
const USERS = [
  ['Operators', 2],
  ['Viewers', 3],
  ['Code Deployers', 4],
] as const;

/** What is old is discarded as soon as the server permits. */
const RETENTION = {
  ...{ 'keep-jobs': 2, 'keep-reports': 1, 'keep-code': 1, 'keep-history': 1 },
  ...{ 'puppetdb-report-ttl': 1, 'puppetdb-node-ttl': 1, 'puppetdb-node-purge-ttl': 1 },
};

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
  /** Moves the clocks of the server. */
  readonly day: DayControl;
  /** Tokens by the name of their role. */
  readonly tokens = new Map<string, string>();
  /** The token of an administrator. */
  token: string;
  /** Variables of the server's environment. */
  readonly variables: Readonly<Record<string, string>>;

  private constructor(site: LocalSite, marks: Marks, day: DayControl, variables: Readonly<Record<string, string>>) {
    this.site = site;
    this.marks = marks;
    this.day = day;
    this.variables = variables;
    this.token = site.token;
    this.stores = openEmbeddedStores(site.data);
    const vault = openKeyFileVault(join(site.data, KEY_FILE), false);
    this.access = new AccessService({ ...this.stores, secrets: systemSecrets }, { vault });
  }

  static async open(marks: Marks): Promise<TaintedSite> {
    const { files, key } = makeCode(marks);
    marks.add('key: of encrypted data', bodyOfKey(key));
    const day = new DayControl(mkdtempSync(join(tmpdir(), 'taint-day-')));
    const variables = {
      ...day.variables,
      [KEY_VARIABLE]: key,
      UNDERSTUDY_EYAML_VARIABLES: KEY_VARIABLE,
      UNDERSTUDY_REPORT_URL: `http://reporter:${marks.of('setting: a password in report-url')}@${CLOSED}/reports`,
    };
    const site = await LocalSite.open([OWNER, OTHER, FAILING], files, {
      variables,
      flags: (folder) => [
        ...Object.entries(RETENTION).flatMap(([name, least]) => [`--${name}`, String(least)]),
        ...['--access-log', join(folder, 'access.log')],
        ...['--forge', `http://forge:${marks.of('setting: a password in forge')}@${CLOSED}`],
      ],
      prepare: (data) => {
        writeFileSync(join(data, 'ca-key-file'), marks.of('key: the file that seals keys'), { mode: 0o600 });
        writeFileSync(join(data, 'values-key-file'), marks.of('key: the file that seals values'), { mode: 0o600 });
      },
    });
    marks.add('token: of an administrator', site.token);
    const tainted = new TaintedSite(site, marks, day, variables);
    await tainted.#noteKeys();
    await tainted.access.directories.put(
      {
        ...{ display_name: 'Nobody', hostname: '127.0.0.1', port: 1, base_dn: 'dc=example', user_lookup_attr: 'uid' },
        ...{ login: 'cn=service', password: marks.of('password: of a directory') },
      },
      'own',
    );
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
      ['X-Authentication', this.token],
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
      const login = loginOf(name);
      const password = this.marks.specialOf(`password: of ${name}`);
      const names = { login, email: `${login}@example.com`, display_name: name, role_ids: [role] };
      await this.send('access', 'POST', '/rbac-api/v1/users', { ...names, password });
      const { body } = await this.send('access', 'POST', '/rbac-api/v1/auth/token', { login, password });
      this.tokens.set(name, this.marks.add(`token: of ${name}`, JSON.parse(body).token));
    }
    const wrong = { login: 'viewers', password: this.marks.of('password: a wrong one') };
    await this.send('access', 'POST', '/rbac-api/v1/auth/token', wrong, 401);
    const swapped = { login: this.marks.of('password: in the place of a login'), password: 'x' };
    await this.send('access', 'POST', '/rbac-api/v1/auth/token', swapped, 503);
    await this.send('console', 'POST', '/console/session', swapped, 503);
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

  /** New tokens in the place of those that expired. */
  async renewTokens(): Promise<void> {
    for (const name of ['administrator', ...this.tokens.keys()]) {
      const login = name === 'administrator' ? 'admin' : loginOf(name);
      const account = await this.access.accounts.findByLogin(login);
      if (account === null) throw new Error(`there is no user ${login}`);
      const token = await this.access.tokens.create(account, { lifetimeMs: 10 * DAY_MS });
      this.marks.add(`token: of ${name} on the next day`, token);
      if (name === 'administrator') this.token = token;
      else this.tokens.set(name, token);
    }
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
}

/** Waits until it is so; throws after two minutes. */
export async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`still waiting after two minutes: ${isDone}`);
    await setTimeout(50);
  }
}

const loginOf = (role: string) => role.toLowerCase().replace(' ', '-');

const md5Of = (text: string) => createHash('md5').update(text).digest('hex');
