import { Hono } from 'hono';

interface ScriptedNode {
  readonly name: string;
  readonly state: string;
  readonly result?: object;
  readonly transaction_uuid?: string;
  readonly details?: object;
}

export interface ScriptedJob {
  readonly command: string;
  readonly state: string;
  readonly options?: object;
  readonly description?: string;
  readonly nodes: readonly ScriptedNode[];
}

const TYPES: Readonly<Record<string, string>> = {
  finished: 'node_finished',
  failed: 'node_failed',
  errored: 'node_errored',
  skipped: 'node_skipped',
};

/**
 * An orchestrator whose one job goes as scripted: each poll of events shows one event more. It
 * records what it was asked.
 */
export class ScriptedOrchestrator {
  readonly asked: { readonly method: string; readonly path: string; readonly token: string; readonly body: unknown }[] =
    [];
  job: ScriptedJob = { command: 'task', state: 'finished', nodes: [] };
  tasks: Readonly<Record<string, object>> = {};
  jobs: readonly object[] = [];
  plans: Readonly<Record<string, object>> = {};
  /** The plan job 12; null: no plan can be run. */
  planJob: object | null = null;
  /** Messages of its events; each poll has the next one. */
  planMessages: readonly string[] = [];
  #saidOfPlan = 0;
  preview: object = {};
  /** So many polls of events show none. */
  emptyPolls = 0;
  inventory: readonly object[] = [];
  pings: Readonly<Record<string, object>> = {};
  agent: object = {};
  order: readonly object[] = [];
  reached: readonly object[] = [];
  instances: readonly object[] = [];
  /** Runs before an answer to a poll of events. */
  onPoll: () => Promise<void> | void = () => {};
  readonly app = new Hono();

  constructor() {
    const { app } = this;
    const base = '/orchestrator/v1';
    app.use(async ({ req }, next) => {
      const text = req.method === 'POST' ? await req.text() : '';
      const { pathname, search } = new URL(req.url);
      const token = req.header('X-Authentication') ?? '';
      this.asked.push({
        method: req.method,
        path: pathname + search,
        token,
        body: text === '' ? null : JSON.parse(text),
      });
      await next();
    });
    app.post(`${base}/command/stop`, (context) =>
      context.json({ job: { id: 'x', name: '7', nodes: { new: 0, running: 1, skipped: 2 } } }, 202),
    );
    app.post(`${base}/command/deploy_preview`, (context) => context.json(this.preview));
    app.post(`${base}/command/plan_run`, (context) =>
      this.planJob === null
        ? context.json({ kind: 'puppetlabs.orchestrator/not-available', msg: 'No plans here', details: {} }, 501)
        : context.json({ name: '12' }, 202),
    );
    app.post(`${base}/command/stop_plan`, (context) => context.json({ name: '12' }, 202));
    app.get(`${base}/plan_jobs/12`, async (context) => {
      await this.onPoll();
      const isOver = this.#saidOfPlan >= this.planMessages.length;
      return context.json({ name: '12', ...this.planJob, ...(isOver ? {} : { state: 'running' }) });
    });
    app.get(`${base}/plan_jobs/12/events`, (context) => {
      const start = Number(context.req.query('start') ?? '1');
      const message = this.planMessages[start - 1];
      this.#saidOfPlan = start;
      const items = message === undefined ? [] : [{ id: String(start), type: 'out_message', message }];
      return context.json({ 'next-events': { id: 'x', event: String(start + items.length) }, items });
    });
    app.get(`${base}/plans`, (context) =>
      context.json({ items: Object.keys(this.plans).map((name) => ({ name, permitted: name !== 'secret' })) }),
    );
    app.get(`${base}/plans/:module/:name`, (context) => {
      const { module, name } = context.req.param();
      const found = this.plans[name === 'init' ? module : `${module}::${name}`];
      if (found) return context.json({ metadata: found });
      return context.json({ kind: 'puppetlabs.orchestrator/unknown-plan', msg: `Unknown plan ${module}` }, 404);
    });
    app.post(`${base}/command/:command`, (context) => context.json({ job: { id: 'x', name: '7' } }, 202));
    app.on(['GET', 'POST'], `${base}/inventory`, (context) => context.json({ items: this.inventory }));
    app.post(`${base}/agents/ping`, async (context) => {
      const { nodes } = (await context.req.json()) as { nodes: readonly string[] };
      return context.json({ items: nodes.map((name) => ({ name, ...this.pings[name] })) });
    });
    app.get(`${base}/agents/:node`, (context) => context.json(this.agent));
    app.get(`${base}/jobs`, (context) => context.json({ items: this.jobs, pagination: {} }));
    app.get(`${base}/jobs/7`, (context) => context.json(this.describeJob()));
    app.get(`${base}/jobs/7/order`, (context) => context.json({ levels: this.order, applications: this.reached }));
    app.get(`${base}/environments/:environment/instances`, (context) => context.json({ items: this.instances }));
    app.get(`${base}/jobs/7/nodes`, (context) => context.json({ items: this.job.nodes }));
    app.get(`${base}/jobs/7/events`, async (context) => {
      await this.onPoll();
      const start = Number(context.req.query('start') ?? '1');
      this.emptyPolls -= 1;
      const events = this.emptyPolls >= 0 ? [] : this.#events().filter(({ id }) => Number(id) === start);
      return context.json({ 'next-events': { id: 'x', event: String(start + events.length) }, items: events });
    });
    app.get(`${base}/tasks`, (context) =>
      context.json({ items: Object.keys(this.tasks).map((name) => ({ name, permitted: name !== 'secret' })) }),
    );
    app.get(`${base}/tasks/:module/:name`, (context) => {
      const { module, name } = context.req.param();
      const found = this.tasks[name === 'init' ? module : `${module}::${name}`];
      if (found) return context.json({ metadata: found });
      return context.json(
        { kind: 'puppetlabs.orchestrator/unknown-task', msg: `Unknown task ${module}`, details: {} },
        404,
      );
    });
  }

  describeJob(): object {
    const { nodes, state, command, options = {}, description = '' } = this.job;
    const counts = new Map<string, number>();
    for (const node of nodes) counts.set(node.state, (counts.get(node.state) ?? 0) + 1);
    return {
      name: '7',
      state,
      command,
      options,
      description,
      owner: { login: 'amari' },
      environment: { name: 'production' },
      timestamp: '2026-11-20T09:15:16Z',
      started_timestamp: '2026-11-20T09:15:15Z',
      finished_timestamp: '2026-11-20T09:15:16Z',
      duration: '1.4',
      node_count: nodes.length,
      node_states: Object.fromEntries(counts),
    };
  }

  #events() {
    const events: { type: string; message: string; details: object }[] = [];
    for (const { name, state } of this.job.nodes) {
      const details = { node: name };
      if (state !== 'skipped')
        events.push({ type: 'node_running', message: `Started puppet run on ${name} ...`, details });
      events.push({ type: TYPES[state] ?? 'node_running', message: '', details });
    }
    events.push({ type: 'job_finished', message: 'done', details: {} });
    return events.map((event, index) => ({ id: String(index + 1), ...event }));
  }
}
