import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitSourceStore } from '../../shared/fleet/sources/code-source-store.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { ADMINISTRATOR, LocalSite, type SiteAnswer } from '../helpers/local-site.ts';
import { PxpAgent } from '../helpers/pxp-agent.ts';

/** Nodes whose agents are connected. */
export const NODES = ['web01.example.com', 'db01.example.com'] as const;

type JsonObject = Readonly<Record<string, unknown>>;

/** What has a certificate, and is no node. */
const DASHBOARD = 'dashboard.example.com';

/** What an agent was asked to do. */
export interface Asked {
  readonly node: string;
  readonly what: string;
  readonly params: JsonObject;
}

const HELLO = { input_method: 'stdin', parameters: { name: { type: 'Optional[String[1]]' } } };
const QUIET = { input_method: 'stdin', supports_noop: true, parameters: {} };

const FILES = {
  'modules/demo/tasks/hello.json': JSON.stringify(HELLO),
  'modules/demo/tasks/hello.sh': '#!/bin/sh\ncat\n',
  'modules/demo/tasks/quiet.json': JSON.stringify(QUIET),
  'modules/demo/tasks/quiet.sh': '#!/bin/sh\ncat\n',
  // Without parameters: anything goes.
  'modules/demo/tasks/free.sh': '#!/bin/sh\ncat\n',
  'modules/demo/tasks/files.json': JSON.stringify({ ...QUIET, files: ['demo/files/sub/'] }),
  'modules/demo/tasks/files.sh': '#!/bin/sh\ncat\n',
  'modules/demo/files/sub/two words é.txt': 'odd\n',
  'modules/demo/files/sub/100% + #?&.txt': 'odder\n',
  'modules/demo/manifests/init.pp': 'class demo(String $greeting = "hello") {}\n',
};

/** A server with all its ports, agents of its nodes that do nothing and note all, and data. */
export class ClientSite {
  readonly site: LocalSite;
  readonly agents: readonly PxpAgent[];
  readonly asked: Asked[];

  private constructor(site: LocalSite, agents: readonly PxpAgent[], asked: Asked[]) {
    this.site = site;
    this.agents = agents;
    this.asked = asked;
  }

  /**
   * Starts the server. `NODES` and `more` nodes have agents that are connected, `others` only
   * certificates.
   */
  static async open(more: readonly string[] = [], others: readonly string[] = []): Promise<ClientSite> {
    const nodes = [...NODES, ...more];
    const flags = (folder: string) => {
      const allowList = join(folder, 'administrators.txt');
      writeFileSync(allowList, ADMINISTRATOR);
      return ['--access-allow-list', allowList];
    };
    const site = await LocalSite.open([...nodes, ...others, DASHBOARD], FILES, { flags });
    const asked: Asked[] = [];
    const agents = await Promise.all(nodes.map((node) => connectAgent(site, node, (one) => asked.push(one))));
    return new ClientSite(site, agents, asked);
  }

  /** Asks the orchestrator's API. */
  async orchestrate(method: string, path: string, body?: JsonObject): Promise<SiteAnswer> {
    const headers = [['X-Authentication', this.site.token]] as const;
    const request = { port: 'orchestrator', method, path: `/orchestrator/v1/${path}`, headers } as const;
    return this.site.ask({ ...request, ...(body && { body: JSON.stringify(body) }) });
  }

  /** Adds a git source that cannot be reached, `hooked`, whose webhook has this secret. */
  async addSource(secret: string): Promise<void> {
    const { data } = this.site;
    const secretFile = join(data, 'webhook-secret');
    writeFileSync(secretFile, `${secret}\n`);
    const stores = openEmbeddedStores(data);
    const common = { prefix: 'hooked', key: null, author: null };
    await new GitSourceStore(stores).put({
      name: 'hooked',
      url: `file://${data}/repo`,
      secretFile,
      ...common,
    });
    stores.close();
  }

  /** Gives the inventory data of all nodes. */
  async fillInventory(): Promise<void> {
    for (const node of NODES) await fillInventory(this.site, node);
  }

  async close(): Promise<void> {
    for (const agent of this.agents) agent.close();
    await this.site.stop();
  }
}

/** What PXP agents need to connect. */
export function pxpCredentials(site: LocalSite, node: string) {
  const { ca, cert, key } = site.credentialsOf(node);
  return { certificate: String(cert), key: String(key), trusted: String(ca) };
}

async function connectAgent(site: LocalSite, node: string, note: (asked: Asked) => void): Promise<PxpAgent> {
  const agent = await PxpAgent.open(site.ports.broker, pxpCredentials(site, node));
  const answers: Readonly<Record<string, (params: JsonObject) => JsonObject>> = {
    'pxp-module-puppet run': runPuppet,
    'task run': ({ task, input }) => ({ exitcode: 0, stdout: printTask(String(task), input), stderr: '' }),
    'command run': () => ({ exitcode: 0, stdout: `${node}\n`, stderr: '' }),
    'script run': () => ({ exitcode: 0, stdout: 'a script\n', stderr: '' }),
  };
  for (const [what, answer] of Object.entries(answers)) {
    agent.results[what] = (params) => {
      note({ node, what, params });
      return answer(params);
    };
  }
  return agent;
}

const TIME = '2026-11-05T10:00:00.000Z';
const UUID = '5f6b1c9e-7a34-4f0d-9d0e-0a6f4c2f7b11';

function runPuppet({ flags }: JsonObject): JsonObject {
  const noop = Array.isArray(flags) && flags.includes('--noop');
  const outcome = { transaction_uuid: UUID, environment: 'production', status: 'unchanged', noop };
  return { time: TIME, metrics: { total: 1, failed: 0, changed: 0 }, exitcode: 0, version: 1, ...outcome };
}

const COUNTS = ['changed', 'failed', 'out_of_sync', 'restarted', 'skipped', 'total'].map((name) => [name, name, 0]);

/** Tasks print what they got; those of `apply` in Bolt print what they must. */
function printTask(task: string, input: unknown): string {
  if (task === 'puppet_agent::version') return '{"version": "8.10.0", "source": "/opt/puppetlabs/puppet/VERSION"}';
  if (task === 'apply_helpers::custom_facts') return JSON.stringify({ kernel: 'Linux', os: { family: 'Debian' } });
  if (task !== 'apply_helpers::apply_catalog') return JSON.stringify(input);
  const metrics = { resources: { name: 'resources', label: 'Resources', values: [...COUNTS] } };
  return JSON.stringify({ status: 'unchanged', noop: false, resource_statuses: {}, metrics, logs: [] });
}

async function fillInventory(site: LocalSite, certname: string): Promise<void> {
  const head = { certname, environment: 'production', producer: 'puppet', producer_timestamp: TIME };
  const ids = { transaction_uuid: UUID, catalog_uuid: UUID, code_id: null, job_id: null };
  const resource = { type: 'File', title: '/etc/motd', tags: ['file'], exported: false, file: null, line: null };
  const event = { status: 'success', timestamp: TIME, property: 'ensure', new_value: 'present', old_value: 'absent' };
  const changed = { ...event, message: 'created', name: null, corrective_change: false };
  const status = { timestamp: TIME, resource_type: 'File', resource_title: '/etc/motd', skipped: false };
  const place = { file: null, line: null, containment_path: [], corrective_change: false };
  const report = {
    ...{ ...head, ...ids, puppet_version: '8.10.0', report_format: 12, configuration_version: '1' },
    ...{ start_time: TIME, end_time: TIME, status: 'changed', noop: false, noop_pending: false },
    ...{ corrective_change: false, logs: [], cached_catalog_status: 'not_used', type: 'agent' },
    metrics: [{ category: 'resources', name: 'total', value: 1 }],
    resources: [{ ...status, ...place, events: [changed] }],
  };
  const class_ = { ...resource, type: 'Class', title: 'Main', parameters: {} };
  const resources = [class_, { ...resource, parameters: { ensure: 'file' } }];
  const [container, file] = resources.map(({ type, title }) => ({ type, title }));
  const edges = [{ source: container, target: file, relationship: 'contains' }];
  const commands = [
    ['replace_facts', 5, { ...head, values: { kernel: 'Linux', os: { family: 'Debian', name: 'Debian' } } }],
    ['replace_catalog', 9, { ...head, ...ids, version: '1', resources, edges }],
    ['store_report', 8, report],
  ] as const;
  for (const [command, version, payload] of commands) {
    const parameters = { command, version: String(version), certname, 'producer-timestamp': TIME };
    const path = `/pdb/cmd/v1?${new URLSearchParams(parameters)}&secondsToWaitForCompletion=20`;
    const headers = [['Content-Type', 'application/json']] as const;
    const body = JSON.stringify(payload);
    const answer = await site.ask({ port: 'inventory', method: 'POST', path, headers, body });
    if (answer.status !== 200) throw new Error(`${command}: ${answer.status} ${answer.body}`);
  }
}
