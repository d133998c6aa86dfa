import { expect, it } from 'vitest';
import {
  findFormFault,
  type JobForm,
  startJobForm,
  toCommand,
  toSchedule,
} from '../../../../../shared/console/client/data/job-draft.ts';

const form = (changes: Partial<JobForm>): JobForm => ({ ...startJobForm(new URLSearchParams()), ...changes });

it('starts with what the address says', () => {
  expect(startJobForm(new URLSearchParams('command=task&task=service&nodes=a,b&environment=dev'))).toMatchObject({
    command: 'task',
    task: 'service',
    target: 'nodes',
    nodes: 'a\nb',
    environment: 'dev',
  });
});

it.each([
  [{ nodes: 'a, b\nb' }, { environment: 'production', scope: { nodes: ['a', 'b'] } }],
  [
    { target: 'query', query: ' nodes {} ', isNoop: true },
    { environment: 'production', scope: { query: 'nodes {}' }, noop: true },
  ],
  [
    { target: 'environment', concurrency: '5' },
    { environment: 'production', concurrency: 5 },
  ],
  [
    { command: 'task', target: 'group', group: 'g', task: 't', concurrency: '5' },
    { environment: 'production', scope: { node_group: 'g' }, task: 't', params: { p: 1 } },
  ],
  [
    { command: 'plan', plan: 'demo', nodes: 'a', isNoop: true, description: 'd' },
    { plan_name: 'demo', params: { p: 1 }, environment: 'production', description: 'd' },
  ],
] as const)('makes a command of %j', (changes, body) => {
  expect(toCommand(form(changes), { p: 1 })).toEqual(body);
});

it('makes a schedule of a task', () => {
  const changes = { command: 'task', task: 't', nodes: 'a', startAt: '2030-01-01T00:00Z', interval: '3600' } as const;
  expect(toSchedule(form(changes), { p: 1 })).toEqual({
    type: 'task',
    environment: 'production',
    description: '',
    input: { name: 't', parameters: { p: 1 }, scope: { nodes: ['a'] } },
    userdata: {},
    schedule: { start_time: '2030-01-01T00:00:00.000Z', interval: { value: 3600, units: 'seconds' } },
  });
});

it('makes a schedule of a plan', () => {
  const changes = { command: 'plan', plan: 'demo', startAt: '2030-01-01T00:00Z' } as const;
  expect(toSchedule(form(changes), { p: 1 })).toMatchObject({
    type: 'plan',
    input: { name: 'demo', parameters: { p: 1 } },
    schedule: { interval: null },
  });
});

it.each([
  [{ command: 'plan' }, 'Choose a plan.'],
  [{ command: 'plan', plan: 'demo', isLater: true }, 'Say when the job starts.'],
  [{ command: 'plan', plan: 'demo' }, null],
  [{}, 'Name at least one node.'],
  [{ target: 'query' }, 'Write a query.'],
  [{ target: 'group' }, 'Choose a group.'],
  [{ command: 'task' }, 'Choose a task.'],
  [{ command: 'task', task: 't', target: 'environment' }, 'A task needs nodes, a query or a group.'],
  [{ nodes: 'a', concurrency: 'x' }, 'The number of nodes at a time is a whole number.'],
  [{ nodes: 'a', isLater: true }, 'Say when the job starts.'],
  [{ nodes: 'a' }, null],
] as const)('finds the fault of %j', (changes, fault) => {
  expect(findFormFault(form(changes), false)).toBe(fault);
});
