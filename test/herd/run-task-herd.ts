import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import type { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { listNodeRuns } from '../../shared/orchestrator/jobs/load-job.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { NodeRun } from '../../shared/store/ports/job-records.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { readCpuTime } from '../helpers/real-process.ts';
import { openHerdAuthority } from './herd-authority.ts';
import type { TaskAgentsOrder } from './task-agents.ts';

/** Times are in milliseconds. */
export interface TaskHerdResult {
  /** From the request until the job's end. */
  readonly jobMs: number;
  /** The CPU of the server meanwhile. */
  readonly cpuMs: number;
  /** From a node's start until its end, ascending. */
  readonly nodeMs: readonly number[];
  /** Nodes by the state in which they ended. */
  readonly states: ReadonlyMap<string, number>;
}

interface Site {
  readonly stores: EmbeddedStores;
  readonly authority: CertificateAuthority;
  readonly token: string;
  readonly ports: { readonly port: number; readonly pcp: number; readonly orchestrator: number };
}

const AGENTS_IN_ONE_PROCESS = 1000;
const ISSUED_AT_ONCE = 8;
const CONNECT_LIMIT_MS = 20 * 60_000;
const JOB_LIMIT_MS = 10 * 60_000;
const LOOK_MS = 250;
const TOKEN_MS = 3_600_000;
const TASK = 'herd::greet';
const TASK_FILES = {
  'herd/tasks/greet.json': '{"description": "Greets", "input_method": "stdin", "parameters": {}}\n',
  'herd/tasks/greet.sh': '#!/bin/sh\necho done\n',
};

/** Starts a server with so many connected PXP agents, and runs one task on all of them. */
export async function runTaskHerd(agents: number, flags: readonly string[] = []): Promise<TaskHerdResult> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-task-herd-'));
  const [data, controlRepo] = [join(folder, 'data'), join(folder, 'control-repo')];
  for (const [path, content] of Object.entries(TASK_FILES)) {
    const file = join(controlRepo, 'environments/production/modules', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const stores = openEmbeddedStores(data);
  const children: ChildProcess[] = [];
  try {
    const site = await prepareSite(stores, data);
    const { port, pcp, orchestrator } = site.ports;
    const own = ['--pcp-port', String(pcp), '--orchestrator-port', String(orchestrator)];
    const server = await LocalProcess.start({ data, controlRepo, port, flags: [...own, ...flags] });
    try {
      const names = Array.from({ length: agents }, (_, index) => `agent${index}.example.com`);
      await connectAgents(site, names, children);
      return await runTask(site, names, server.pid);
    } finally {
      await server.end('SIGKILL');
    }
  } finally {
    for (const one of children) one.disconnect();
    stores.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepareSite(stores: EmbeddedStores, data: string): Promise<Site> {
  const authority = await openHerdAuthority(data, stores);
  const access = new AccessService({ ...stores, secrets: systemSecrets });
  const account = await access.accounts.findByLogin('admin');
  if (account === null) throw new Error('invariant: the first account is admin');
  const token = await access.tokens.create(account, { lifetimeMs: TOKEN_MS });
  const [port, pcp, orchestrator] = [await findFreePort(), await findFreePort(), await findFreePort()];
  return { stores, authority, token, ports: { port, pcp, orchestrator } };
}

async function connectAgents({ authority, ports }: Site, names: readonly string[], children: ChildProcess[]) {
  const trusted = authority.certificatePem;
  for (let first = 0; first < names.length; first += AGENTS_IN_ONE_PROCESS) {
    const some = names.slice(first, first + AGENTS_IN_ONE_PROCESS);
    const nodes = await inParallel(ISSUED_AT_ONCE, some, async (name) => {
      const { certificate, key } = await authority.generate(name, [], false);
      return { certificate, key };
    });
    const child = fork(join(import.meta.dirname, 'task-agents.ts'));
    children.push(child);
    child.send({ port: ports.pcp, trusted, nodes } satisfies TaskAgentsOrder);
    await once(child, 'message', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
  }
}

async function runTask(site: Site, names: readonly string[], server: number): Promise<TaskHerdResult> {
  const [began, cpu] = [performance.now(), readCpuTime(server)];
  const order = { environment: 'production', task: TASK, params: {}, scope: { nodes: names } };
  const { job } = (await ask(site, 'POST', '/command/task', order)) as { job: { name: string } };
  for (;;) {
    const { state } = (await ask(site, 'GET', `/jobs/${job.name}`)) as { state: string };
    if (state === 'finished' || state === 'failed') break;
    if (performance.now() - began > JOB_LIMIT_MS) throw new Error(`the job is ${state} after ${JOB_LIMIT_MS} ms`);
    await setTimeout(LOOK_MS);
  }
  const [jobMs, cpuMs] = [performance.now() - began, readCpuTime(server) - cpu];
  // The API's times are whole seconds.
  const runs: NodeRun[] = [];
  for await (const run of listNodeRuns(site.stores.jobs, Number(job.name))) runs.push(run);
  const nodeMs = runs.map(({ startedAt, finishedAt }) => (finishedAt ?? Number.NaN) - (startedAt ?? Number.NaN));
  const byState = Map.groupBy(runs, ({ state }) => state);
  return {
    jobMs,
    cpuMs,
    nodeMs: nodeMs.sort((a, b) => a - b),
    states: new Map([...byState].map(([state, some]) => [state, some.length])),
  };
}

/** Asks the orchestrator's API. Throws on any other answer than a success. */
function ask({ authority, token, ports }: Site, method: string, path: string, body?: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...{ host: 'localhost', port: ports.orchestrator, path: `/orchestrator/v1${path}`, method, agent: false },
        headers: { 'X-Authentication': token, 'Content-Type': 'application/json' },
        ca: authority.certificatePem,
      },
      (answer) => {
        const isSuccess = answer.statusCode !== undefined && answer.statusCode < 300;
        json(answer).then((value) => {
          if (isSuccess) resolve(value);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${JSON.stringify(value)}`));
        }, reject);
      },
    );
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
