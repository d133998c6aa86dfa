import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  PlanAction,
  PlanEffect,
  PlanHost,
  PlanNote,
  PlanOutcome,
} from '../../../../shared/orchestrator/plan-language/plan-effects.ts';
import { checkTaskParameters, readParameters } from '../../../../shared/orchestrator/tasks/task-parameters.ts';
import { readTaskOutput } from '../../../../shared/orchestrator/tasks/task-result.ts';
import { isJsonObject } from '../../../../shared/util/json-object.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const ZEROES = [
  ['failed', 'Failed', 0],
  ['skipped', 'Skipped', 0],
];

/** A fault of a host. */
function fault(kind: string, msg: string, details: JsonObject = {}): PlanOutcome {
  return { kind: 'fault', fault: { kind, msg, details } };
}

/**
 * Runs the actions of plans on this machine, as Bolt's transport `local` does. `files` are those of
 * modules, by path. Time passes only while plans wait: `sleep` takes none.
 */
export class LocalHost implements PlanHost {
  /** What the plan said and did, in order. */
  readonly events: (readonly unknown[])[] = [];
  /** Catalogs that targets applied. */
  readonly catalogs: (readonly [target: string, catalog: unknown])[] = [];
  /** The parameters of the tasks that apply them. */
  readonly applied: JsonObject[] = [];
  /** Answers to queries, in order; then there are no rows. */
  readonly answers: unknown[] = [];
  /** The queries of plans. */
  readonly queries: string[] = [];
  /** Commands that plans sent to the inventory. */
  readonly commands: (readonly unknown[])[] = [];
  /** Whether resources of catalogs fail. */
  failing = false;
  readonly #files: Readonly<Record<string, string>>;
  /** Effects that run, with the times at which they end. */
  readonly #running: { readonly id: number; readonly outcome: PlanOutcome; readonly at: number }[] = [];
  #now = 0;

  constructor(files: Readonly<Record<string, string>>) {
    this.#files = files;
  }

  begin(id: number, effect: PlanEffect): void {
    const [, seconds = '0'] =
      /^sleep (\S+)$/.exec(effect.kind === 'action' ? String(effect.action.params.command) : '') ?? [];
    this.#running.push({ id, outcome: this.#run(effect), at: this.#now + Number(seconds) * 1000 });
  }

  await(until: number | null): readonly (readonly [number, PlanOutcome])[] {
    const next = Math.min(...this.#running.map(({ at }) => at), until ?? Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY) throw new Error('the plan waits for nothing');
    this.#now = Math.max(this.#now, next);
    const ended = this.#running.filter(({ at }) => at <= this.#now);
    for (const one of ended) this.#running.splice(this.#running.indexOf(one), 1);
    return ended.map(({ id, outcome }) => [id, outcome] as const);
  }

  note(note: PlanNote): void {
    if (note.type === 'log') this.events.push([note.type, note.level, note.message]);
    else this.events.push([note.type, 'plan' in note ? note.plan : note.message]);
  }

  now(): number {
    return this.#now;
  }

  #run(effect: PlanEffect): PlanOutcome {
    if (effect.kind === 'query') {
      this.queries.push(effect.query);
      return { kind: 'value', value: this.answers.shift() ?? [] };
    }
    if (effect.kind === 'inventory_command') {
      this.commands.push([effect.command, effect.version, JSON.parse(effect.payload)]);
      return { kind: 'value', value: '2d3ccf3b-6c4a-4b0a-9bb6-5d4ce1ee9d0f' };
    }
    const { action } = effect;
    const problem = action.kind === 'task' ? this.#findProblem(action) : null;
    if (problem !== null) return problem;
    this.events.push(['step', action.description, action.targets]);
    const values = action.targets.map((target) => this.#runOn(target, action));
    return { kind: 'results', values };
  }

  #findProblem({ task, targets, params, paramsByTarget, noop }: PlanAction): PlanOutcome | null {
    const found = this.#findTask(String(task));
    if (found === null) return fault('bolt/unknown-task', 'Unknown task', { task });
    const { metadata } = found;
    if (noop && metadata.supports_noop !== true) {
      return fault('bolt/issue', 'Task does not support noop', { code: 'TASK_NO_NOOP' });
    }
    const given = targets.map((target) => paramsByTarget?.[target] ?? params);
    for (const one of given) {
      const { faults } = checkTaskParameters(readParameters(String(task), metadata, {}), one);
      if (faults.length === 0) continue;
      const list = faults.map((text) => ` ${text}`).join('\n');
      return fault('bolt/issue', `Task ${task}:\n${list}`, { code: 'TYPE_MISMATCH' });
    }
    return null;
  }

  #findTask(name: string): { readonly text: string; readonly metadata: JsonObject } | null {
    const [module = '', task = 'init'] = name.split('::');
    const text = this.#files[`${module}/tasks/${task}.sh`];
    const json = this.#files[`${module}/tasks/${task}.json`];
    const metadata: unknown = JSON.parse(json ?? '{}');
    return text === undefined || !isJsonObject(metadata) ? null : { text, metadata };
  }

  #runOn(target: string, action: PlanAction): JsonObject {
    const params = action.paramsByTarget?.[target] ?? action.params;
    switch (action.kind) {
      case 'command':
        return runProgram('sh', ['-c', String(params.command).replace(/^sleep .*/, 'true')]);
      case 'script': {
        const args = Array.isArray(params.arguments) ? params.arguments.map(String) : [];
        return withFile(Buffer.from(String(params.content), 'base64').toString(), (path) => runProgram(path, args));
      }
      case 'task':
        return this.#runTask(action, params);
      case 'facts':
        return { os: { family: 'Debian' }, role: target };
      case 'apply':
        return this.#apply(target, params);
      default:
        return {};
    }
  }

  /** Keeps the catalog, and reports that all of its resources changed. */
  #apply(target: string, params: JsonObject): JsonObject {
    const { catalog } = params;
    this.catalogs.push([target, catalog]);
    this.applied.push(params);
    const total = isJsonObject(catalog) && Array.isArray(catalog.resources) ? catalog.resources.length : 0;
    const values = [['total', 'Total', total], ['changed', 'Changed', total], ...ZEROES, ['out_of_sync', 'Out', total]];
    const { failing } = this;
    const event = { status: 'failure', message: 'no such thing' };
    const statuses = failing ? { 'File[/x]': { failed: true, events: [event] } } : {};
    return { status: failing ? 'failed' : 'changed', metrics: { resources: { values } }, resource_statuses: statuses };
  }

  #runTask({ task, noop }: PlanAction, given: JsonObject): JsonObject {
    const found = this.#findTask(String(task));
    if (found === null) throw new Error('the task was found before');
    const { input } = checkTaskParameters(readParameters(String(task), found.metadata, {}), given);
    const all = { ...input, ...(noop ? { _noop: true } : {}), _task: task };
    const variables = Object.entries(all).map(([name, value]) => {
      return [`PT_${name}`, typeof value === 'string' ? value : JSON.stringify(value)] as const;
    });
    return withFile(found.text, (path) => {
      const { stdout, stderr, exit_code: exitcode } = runProgram(path, [], JSON.stringify(all), variables);
      return { ...readTaskOutput({ exitcode, stdout, stderr }).result };
    });
  }
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
}

function runProgram(
  command: string,
  args: readonly string[],
  input = '',
  variables: Iterable<readonly [string, string]> = [],
): Output & JsonObject {
  const env = { ...process.env, ...Object.fromEntries(variables) };
  const { stdout, stderr, status } = spawnSync(command, [...args], { input, env, encoding: 'utf8' });
  return { stdout, stderr, exit_code: status ?? 1 };
}

function withFile<T>(text: string, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'plan-'));
  try {
    const path = join(folder, 'program');
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
