import type { Subject } from '../../access/accounts/access-control.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { JobRecord } from '../../store/ports/job-records.ts';
import type { Ledger } from '../../store/ports/job-store.ts';
import { readTargets } from './load-job.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import { listBound, type Permissions, type Requester } from './permissions.ts';
import type { TargetResolver, TargetScope } from './targets.ts';
import type { TaskTargets } from './task-targets.ts';

interface RunRightsParts {
  readonly permissions: Permissions;
  readonly targets: TargetResolver;
  readonly taskTargets: TaskTargets;
  readonly blobs: Pick<BlobStore, 'get'>;
}

/** Nodes that an error names; its details have all of them. */
const MOST_NAMED = 10;

/** The rights to run something, and to stop it. All methods reject with OrchestratorError. */
export class RunRights {
  readonly #parts: RunRightsParts;

  constructor(parts: RunRightsParts) {
    this.#parts = parts;
  }

  /** Rejects unless the user may look at the nodes of the scope. */
  async demandScope(subject: Requester, scope: TargetScope): Promise<void> {
    if (scope.kind === 'node_group') for (const one of listBound(subject)) await this.#demandGroup(one, scope.id);
    if (scope.kind === 'query') await this.demandQuery(subject);
  }

  /** Rejects unless the user may ask the inventory. */
  async demandQuery(subject: Requester): Promise<void> {
    await this.#parts.permissions.demand(subject, 'nodes', 'view_data');
  }

  /** Rejects unless the user may change data of nodes in the inventory. */
  async demandInventoryChange(subject: Requester): Promise<void> {
    await this.#parts.permissions.demand(subject, 'nodes', 'edit_data');
  }

  /** Permission for a group is permission for those below it. */
  async #demandGroup(subject: Subject, id: string): Promise<void> {
    const { permissions, targets } = this.#parts;
    for (const above of await targets.listGroupsAbove(id)) {
      if (await permissions.permits(subject, 'node_groups', 'view', above)) return;
    }
    await permissions.demand(subject, 'node_groups', 'view', id);
  }

  async demandPuppet(subject: Requester): Promise<void> {
    await this.#parts.permissions.demand(subject, 'puppet_agent', 'run');
  }

  /** Rejects unless the user may run the task on each of the nodes. */
  async demandTask(
    subject: Requester,
    task: string,
    environment: string,
    listNodes: () => Promise<readonly string[]>,
  ): Promise<void> {
    const { permissions, taskTargets } = this.#parts;
    for (const one of listBound(subject)) {
      if (await permissions.permits(one, 'tasks', 'run', task)) continue;
      const allowed = await taskTargets.findPermitted(one, task, environment);
      const nodes = await listNodes();
      const forbidden = nodes.filter((name) => !allowed.has(name));
      if (forbidden.length > 0 || nodes.length === 0) throw createTaskError(one, task, forbidden, nodes);
    }
  }

  /** Rejects unless the job is the user's own, or the user may run it. */
  async demandStop(subject: Subject, { body }: Ledger<JobRecord>): Promise<void> {
    if (subject.id === body.owner.id) return;
    if (body.task === null) return this.demandPuppet(subject);
    const listNodes = async () => (await readTargets(this.#parts.blobs, body))?.names ?? [];
    await this.demandTask(subject, body.task, body.environment, listNodes);
  }

  /** Rejects unless the user may run the plan. */
  async demandPlan(subject: Requester, plan: string): Promise<void> {
    const lacking = await this.#parts.permissions.findLacking(subject, 'plans', 'run', plan);
    if (lacking === null) return;
    throw new OrchestratorError('not-permitted', `User ${lacking.login} is not permitted to run ${plan}`, { plan });
  }
}

function createTaskError(
  { login }: Subject,
  task: string,
  forbidden: readonly string[],
  nodes: readonly string[],
): OrchestratorError {
  const message = `User ${login} is not permitted to run ${task}`;
  if (forbidden.length === nodes.length) return new OrchestratorError('not-permitted', message, { nodes: forbidden });
  const rest = forbidden.length - MOST_NAMED;
  const named = `${forbidden.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more nodes` : ''}`;
  return new OrchestratorError('not-permitted', `${message} on ${named}`, { nodes: forbidden });
}
