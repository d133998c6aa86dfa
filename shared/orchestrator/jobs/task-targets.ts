import type { Subject } from '../../access/accounts/access-control.ts';
import type { TaskTargetRecord } from '../../store/ports/job-records.ts';
import type { JobStore, Ledger } from '../../store/ports/job-store.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import type { Permissions } from './permissions.ts';
import { checkBody, invalidRequest, isSet, type JsonObject, stringsOf, textOf } from './request-body.ts';
import type { TargetResolver } from './targets.ts';

const KEYS = {
  display_name: 'string',
  tasks: 'strings',
  all_tasks: 'boolean',
  nodes: 'strings',
  node_groups: 'strings',
  pql_query: 'any',
} as const;
const PAGE = 500;

/** Task targets: sets of tasks and nodes for which a role may have permission. */
export class TaskTargets {
  readonly #jobs: JobStore;
  readonly #permissions: Permissions;
  readonly #resolver: TargetResolver;

  constructor(jobs: JobStore, permissions: Permissions, resolver: TargetResolver) {
    this.#jobs = jobs;
    this.#permissions = permissions;
    this.#resolver = resolver;
  }

  /**
   * `command/task_target`: returns the number. Names are not checked to exist. The user must be
   * permitted to run the tasks: a role may already have a target of the number to come, or all.
   */
  async create(subject: Subject, given: JsonObject): Promise<number> {
    const body = checkBody(given, KEYS, []);
    const tasks = stringsOf(body, 'tasks');
    const isForAllTasks = isSet(body, 'all_tasks');
    if (textOf(body, 'display_name') === '' || (tasks.length === 0 && !isForAllTasks)) {
      throw invalidRequest('display_name, and tasks or all_tasks are required');
    }
    const hasNodes = body.nodes !== undefined && body.node_groups !== undefined;
    if (!hasNodes) throw invalidRequest('nodes and node_groups are required, and may be empty');
    for (const task of isForAllTasks ? ['*'] : tasks) await this.#permissions.demand(subject, 'tasks', 'run', task);
    const number = await this.#jobs.takeNumbers('targets', 1);
    const record: TaskTargetRecord = {
      displayName: textOf(body, 'display_name'),
      tasks,
      isForAllTasks,
      nodes: stringsOf(body, 'nodes'),
      nodeGroups: stringsOf(body, 'node_groups'),
      query: body.pql_query ?? null,
    };
    await this.#jobs.create('target', number, record, { isOpen: false, expiresAt: null });
    return number;
  }

  async list(): Promise<readonly Ledger<TaskTargetRecord>[]> {
    const found: Ledger<TaskTargetRecord>[] = [];
    for (;;) {
      const page = await this.#jobs.list('target', found.at(-1)?.number ?? 0, PAGE);
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  }

  async get(number: number): Promise<Ledger<TaskTargetRecord>> {
    const found = await this.#jobs.get('target', number);
    if (found === null) throw new OrchestratorError('unknown-task-target', `Unknown task target ${number}`);
    return found;
  }

  /** The nodes on which a user may run a task by the targets that he may use. */
  async findPermitted(subject: Subject, task: string, environment: string): Promise<ReadonlySet<string>> {
    const nodes = new Set<string>();
    for (const { number, body } of await this.list()) {
      if (!body.isForAllTasks && !body.tasks.includes(task)) continue;
      if (!(await this.#permissions.permits(subject, 'tasks', 'run_with_constraints', String(number)))) continue;
      for (const name of await this.#listNodes(body, environment)) nodes.add(name);
    }
    return nodes;
  }

  async #listNodes({ nodes, nodeGroups, query }: TaskTargetRecord, environment: string): Promise<readonly string[]> {
    const names = [...nodes];
    for (const id of nodeGroups) names.push(...(await this.#resolver.resolve({ kind: 'node_group', id }, environment)));
    if (typeof query === 'string' || Array.isArray(query)) {
      names.push(...(await this.#resolver.resolve({ kind: 'query', query }, environment)));
    }
    return names;
  }
}
