import { findLacking } from '../../../shared/access/accounts/permission-types.ts';
import { storeFacts } from '../../../shared/fleet/facts/facts-blob.ts';
import { createOperatorApi } from '../../../shared/http/console/operator-api.ts';
import { NodeSearch } from '../../../shared/http/node-search.ts';
import { PuppetHash } from '../../../shared/puppet/types/values/puppet-hash.ts';
import { type AccessWorld, openAccessWorld } from '../access-world.ts';
import { OrchestratorApi } from '../orchestrator-api.ts';
import { type Act, chooseAct, chooseCommand, chooseNewSchedule, type Pick } from './acts.ts';
import { requestOf } from './describe-surface.ts';
import { listNeeded, listNeededToRead, type Observed, observeFleet, observeJobs, taskOf } from './effects.ts';
import { NODE, type SeededFleet } from './operator-surface.ts';
import { createChance, parsePermission, printPermission } from './walking.ts';

const MODULE = 'environments/production/modules/demo';
const CODE = {
  [`${MODULE}/tasks/hello.sh`]: '',
  [`${MODULE}/tasks/hello.json`]: '{}',
  [`${MODULE}/tasks/secret.sh`]: '',
  [`${MODULE}/tasks/secret.json`]: '{}',
};
/** What the walker may do always, and what one of the others gives and takes. */
const ALWAYS = ['console_page:view:*', 'configuration:edit:*', 'environment:deploy_code:staging', 'plans:run:demo'];
const SOMETIMES = ['orchestrator:view:*', 'tasks:run:demo::hello'];
const FOUND = 'queried.example.com';
const LONG_MS = 60_000;

/** The code that stages of an environment bring. */
export type CodeIds = Readonly<Record<string, string>>;

/**
 * A user without `*`, two administrators, and all that they may do to jobs and the fleet. Whatever
 * the walker does, its effects are compared with what he might have had directly.
 */
export class ActingWorld {
  readonly access: AccessWorld['access'];
  readonly api: OrchestratorApi;
  readonly #world: AccessWorld;
  readonly #truth: AccessWorld['access'];
  readonly #fleet: SeededFleet;
  readonly #pick: Pick;
  readonly #tokens: Record<string, string> = {};
  readonly #touched = new Set<number>();
  readonly #operators: ReturnType<typeof createOperatorApi>;
  walker = '';
  #sometimes = 0;

  constructor(fleet: SeededFleet, seed: number) {
    const chance = createChance(seed);
    this.#pick = <T>(list: readonly T[]): T => list[chance(list.length)] as T;
    this.#fleet = fleet;
    this.#world = openAccessWorld({}, fleet.http.documents);
    this.access = this.#world.access;
    this.#truth = this.#world.open();
    this.api = new OrchestratorApi({ queries: { find: async () => [FOUND] } }, this.access);
    const search = new NodeSearch({ find: async () => [FOUND] }, fleet.http.clock);
    this.#operators = createOperatorApi({ ...fleet.http.services, search, access: this.access });
  }

  async begin(): Promise<void> {
    const { addUser, tokenOf } = this.#world;
    const role = async (displayName: string, texts: readonly string[]) => {
      const permissions = texts.map(parsePermission);
      return (await this.access.roles.create({ displayName, description: null, permissions })).id;
    };
    const carol = await addUser('carol', [1]);
    await addUser('boss', [1]);
    this.#sometimes = await role('Sometimes', SOMETIMES);
    const always = await role('Always', [...ALWAYS, `scheduled_jobs:delete:${carol.id}`]);
    this.walker = (await addUser('walker', [always, this.#sometimes])).id;
    for (const login of ['carol', 'boss', 'walker']) this.#tokens[login] = await tokenOf(login);
    const { stores, network } = this.api.world;
    network.addAgents([NODE, FOUND], { runMs: LONG_MS });
    await stores.nodes.markSeen(NODE, 'production', 1);
    const facts = { facts: PuppetHash.of([['os', 'linux']]), trusted: PuppetHash.of([]) };
    await stores.nodes.factsStored(NODE, await storeFacts(stores.blobs, facts, 1));
    await this.api.deploy('production', CODE);
  }

  /** One action of anybody; what the walker gained by it, or null. */
  async step(codeIds: CodeIds): Promise<string | null> {
    const who = this.#pick(['walker', 'walker', 'walker', 'walker', 'walker', 'carol', 'boss', 'time', 'time', 'role']);
    if (who === 'role') return this.#changeRole();
    const before = await observeJobs(this.api.world.stores.jobs);
    if (who === 'time') return this.#passTime(before);
    const now = new Date(this.api.world.clock.now() + 1000).toISOString();
    const known = {
      jobs: [...before.jobs.keys()],
      plans: [...before.plans.keys()],
      schedules: [...before.schedules.keys()],
    };
    if (who !== 'walker') {
      const act = this.#pick([chooseCommand, (pick: Pick) => chooseNewSchedule(pick, now)]);
      await this.#ask(who, act(this.#pick, known, now, codeIds));
      return null;
    }
    return this.#walk(chooseAct(this.#pick, known, codeIds, now));
  }

  close(): void {
    this.api.close();
  }

  /** Ports have stores of their own here: one request changes jobs, or the fleet. */
  async #observe(path: string): Promise<Observed> {
    const jobs = await observeJobs(this.api.world.stores.jobs);
    return path.startsWith('/orchestrator') ? jobs : { ...jobs, fleet: await observeFleet(this.#fleet.http) };
  }

  /** Gives the walker a role, or takes it from him. */
  async #changeRole(): Promise<null> {
    const account = await this.access.accounts.getById(this.walker);
    const others = account.roleIds.filter((id) => id !== this.#sometimes);
    const roleIds = others.length < account.roleIds.length ? others : [...others, this.#sometimes];
    await this.access.accounts.change(account, (one) => ({ ...one, roleIds }));
    return null;
  }

  async #walk(act: Act): Promise<string | null> {
    const before = await this.#observe(act.path);
    const { status, text } = await this.#ask('walker', act);
    const after = await this.#observe(act.path);
    for (const [number, { version, body }] of after.schedules) {
      if (before.schedules.get(number)?.version !== version && body.isEnabled) this.#touched.add(number);
    }
    const needed = [...listNeededToRead(act.path, status, text), ...listNeeded(before, after, this.walker)];
    const had = await this.#truth.permissionsOf(await this.#truth.accounts.getById(this.walker));
    const lacking = needed.find((oneOf) => oneOf.every((permission) => findLacking(had, [permission]) !== null));
    return lacking === undefined ? null : `${act.method} ${act.path}: ${lacking.map(printPermission).join(', ')}`;
  }

  /** Runs what is due; none of what the walker set runs without his right. */
  async #passTime(before: Observed): Promise<string | null> {
    this.api.world.clock.time += 2000;
    await this.api.schedules.tick();
    const after = await observeJobs(this.api.world.stores.jobs);
    const account = await this.#truth.accounts.getById(this.walker);
    for (const [number, schedule] of after.schedules) {
      const job = schedule.body.lastRun?.job ?? null;
      if (job === null || before.jobs.has(job) || !this.#touched.has(number)) continue;
      const task = taskOf(schedule);
      const permission = parsePermission(task === null ? 'puppet_agent:run:*' : `tasks:run:${task}`);
      if (!(await this.#truth.isPermitted(account, permission))) return `time: ${printPermission(permission)}`;
    }
    return null;
  }

  async #ask(who: string, { method, path, body }: Act): Promise<{ readonly status: number; readonly text: string }> {
    const token = this.#tokens[who] ?? '';
    if (path.startsWith('/orchestrator')) {
      const answer = await this.api.ask(method, path, token, body);
      return { status: answer.status, text: JSON.stringify(answer.body) };
    }
    const request = requestOf(method, { path, ...(body === undefined ? {} : { body }) });
    request.headers.set('X-Authentication', token);
    const answer = await this.#operators.fetch(request, { peer: null });
    return { status: answer.status, text: await answer.text() };
  }
}
