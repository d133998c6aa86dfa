/** Values of the form for a new job. Texts are as typed. */
export interface JobForm {
  readonly command: 'deploy' | 'task' | 'plan';
  readonly environment: string;
  readonly target: 'nodes' | 'query' | 'group' | 'environment';
  readonly nodes: string;
  readonly query: string;
  readonly group: string;
  readonly task: string;
  readonly plan: string;
  readonly isNoop: boolean;
  readonly concurrency: string;
  readonly description: string;
  readonly isLater: boolean;
  /** Local time, as the browser's control gives it. */
  readonly startAt: string;
  /** Seconds between runs; empty for once. */
  readonly interval: string;
}

/** The form at the start, with what the address says. */
export function startJobForm(query: URLSearchParams): JobForm {
  const target = ['nodes', 'query', 'group', 'environment'].find((one) => one === query.get('target'));
  return {
    command: readCommand(query.get('command')),
    environment: query.get('environment') ?? 'production',
    target: (target as JobForm['target'] | undefined) ?? 'nodes',
    nodes: (query.get('nodes') ?? '').replaceAll(',', '\n'),
    query: query.get('query') ?? '',
    group: query.get('group') ?? '',
    task: query.get('task') ?? '',
    plan: query.get('plan') ?? '',
    isNoop: query.get('noop') === 'true',
    concurrency: '',
    description: '',
    isLater: false,
    startAt: '',
    interval: '',
  };
}

/** The command of that name; a Puppet run for any other. */
export function readCommand(name: string | null): JobForm['command'] {
  return name === 'task' || name === 'plan' ? name : 'deploy';
}

/** The names in a text: one a line, or between commas or spaces. */
export function readNames(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

/** Returns the fault that keeps the form from being sent; null for none. */
export function findFormFault(form: JobForm, hasTaskFaults: boolean): string | null {
  if (form.command === 'plan' && form.plan === '') return 'Choose a plan.';
  if (form.command === 'plan' && hasTaskFaults) return 'Mend the parameters of the plan.';
  if (form.command === 'plan') return findTimeFault(form);
  if (form.command === 'task' && form.task === '') return 'Choose a task.';
  if (form.command === 'task' && hasTaskFaults) return 'Mend the parameters of the task.';
  if (form.target === 'nodes' && readNames(form.nodes).length === 0) return 'Name at least one node.';
  if (form.target === 'query' && form.query.trim() === '') return 'Write a query.';
  if (form.target === 'group' && form.group === '') return 'Choose a group.';
  if (form.target === 'environment' && form.command === 'task') return 'A task needs nodes, a query or a group.';
  if (form.concurrency !== '' && !/^[1-9]\d*$/.test(form.concurrency))
    return 'The number of nodes at a time is a whole number.';
  return findTimeFault(form);
}

function findTimeFault(form: JobForm): string | null {
  return form.isLater && form.startAt === '' ? 'Say when the job starts.' : null;
}

type JsonBody = Readonly<Record<string, unknown>>;

function scopeOf(form: JobForm): JsonBody {
  switch (form.target) {
    case 'nodes':
      return { scope: { nodes: readNames(form.nodes) } };
    case 'query':
      return { scope: { query: form.query.trim() } };
    case 'group':
      return { scope: { node_group: form.group } };
    case 'environment':
      return {};
  }
}

/** The body of `command/deploy`, `command/task` or `command/plan_run`. */
export function toCommand(form: JobForm, params: JsonBody): JsonBody {
  if (form.command === 'plan') {
    const description = form.description === '' ? {} : { description: form.description };
    return { plan_name: form.plan, params, environment: form.environment, ...description };
  }
  const common = {
    environment: form.environment,
    ...scopeOf(form),
    ...(form.isNoop ? { noop: true } : {}),
    ...(form.description === '' ? {} : { description: form.description }),
  };
  if (form.command === 'task') return { ...common, task: form.task, params };
  return form.concurrency === '' ? common : { ...common, concurrency: Number(form.concurrency) };
}

/** The body of `scheduled_jobs/environment_jobs`. */
export function toSchedule(form: JobForm, params: JsonBody): JsonBody {
  const { environment, description, task, plan_name, params: given, ...rest } = toCommand(form, params);
  const named = { ...rest, name: task ?? plan_name, parameters: given };
  const input = form.command === 'deploy' ? { ...rest, scope: rest.scope ?? {} } : named;
  return {
    type: form.command,
    environment,
    description: description ?? '',
    input,
    userdata: {},
    schedule: {
      start_time: new Date(form.startAt).toISOString(),
      interval: form.interval === '' ? null : { value: Number(form.interval), units: 'seconds' },
    },
  };
}
