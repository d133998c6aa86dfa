import { useState } from 'preact/hooks';
import { callApi } from '../../data/api-client.ts';
import { jobCommand } from '../../data/commands/cli-commands.ts';
import { findFormFault, type JobForm, readCommand, startJobForm, toCommand, toSchedule } from '../../data/job-draft.ts';
import { type DeployPlan, jobIdIn, planJobIn, type ShownPlan, type ShownTask } from '../../data/job-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { describePlanFields, describeTaskFields, readTaskFields } from '../../data/task-fields.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { CheckField, SelectField, TextField } from '../../parts/fields.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { announce } from '../../parts/toasts.tsx';
import { navigate, usePageLocation } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { Levels } from './job-page.tsx';
import { JobTarget } from './job-target.tsx';
import { PlanChoice, TaskChoice } from './task-choice.tsx';

/** The form for a Puppet run, a task or a plan, now or later. */
export function NewJobPage() {
  const { query } = usePageLocation();
  const [form, setForm] = useState<JobForm>(() => startJobForm(query));
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [plan, setPlan] = useState<DeployPlan | null>(null);
  const change = (changes: Partial<JobForm>) => {
    setForm((before) => ({ ...before, ...changes }));
    setPlan(null);
  };
  const task = useAnswer<ShownTask>(form.command === 'task' && form.task !== '' ? addressOfTask(form) : null);
  const shownPlan = useAnswer<ShownPlan>(form.command === 'plan' && form.plan !== '' ? addressOfPlan(form) : null);
  const ofTask = describeTaskFields(task.data?.metadata.parameters ?? {});
  const fields = form.command === 'plan' ? describePlanFields(shownPlan.data) : ofTask;
  const read = readTaskFields(fields, typed);
  const isUnread =
    (form.command === 'task' && task.data === null) || (form.command === 'plan' && shownPlan.data === null);
  const hasFaults = Object.keys(read.faults).length > 0 || isUnread;
  const needed = PERMISSIONS[form.command];
  const mayRun = usePermission(needed, 'run');
  const fault = mayRun ? findFormFault(form, hasFaults) : `You lack the permission ${needed}:run.`;
  const start = useAction(() => sendJob(form, read.params));
  const preview = useAction(async () => {
    const body = toCommand(form, read.params);
    setPlan((await callApi('/orchestrator/v1/command/deploy_preview', { method: 'POST', body })).data as DeployPlan);
  });
  const shownFault = start.fault ?? preview.fault;
  return (
    <>
      <PageHead title={TITLES[form.command]} lead="On nodes whose agents are connected" />
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          start.run(undefined);
        }}
      >
        <Panel title="What">
          <div class="form">
            <WhatFields form={form} change={change} />
            {form.command === 'task' && (
              <TaskChoice
                form={form}
                task={task}
                fields={fields}
                typed={typed}
                faults={read.faults}
                onChoose={(name) => {
                  change({ task: name });
                  setTyped({});
                }}
                onType={(name, value) => setTyped((before) => ({ ...before, [name]: value }))}
              />
            )}
            {form.command === 'plan' && (
              <PlanChoice
                form={form}
                plan={shownPlan}
                fields={fields}
                typed={typed}
                faults={read.faults}
                onChoose={(name) => {
                  change({ plan: name });
                  setTyped({});
                }}
                onType={(name, value) => setTyped((before) => ({ ...before, [name]: value }))}
              />
            )}
          </div>
        </Panel>
        {form.command !== 'plan' && (
          <Panel title="Where">
            <JobTarget form={form} change={change} />
          </Panel>
        )}
        <Panel title="When">
          <WhenFields form={form} change={change} />
        </Panel>
        {shownFault !== null && (
          <p class="notice notice-bad" role="alert">
            {shownFault.message}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="button button-primary" disabled={fault !== null} aria-disabled={start.isRunning}>
            {form.isLater ? 'Schedule' : BUTTONS[form.command]}
          </button>
          {form.command === 'deploy' && (
            <button
              type="button"
              class="button"
              disabled={fault !== null}
              aria-disabled={preview.isRunning}
              onClick={() => preview.run(undefined)}
            >
              Show order
            </button>
          )}
          <span class="muted form-note" role="status">
            {fault ?? ''}
          </span>
        </div>
        <CommandLine
          words={fault === null ? jobCommand(form, read.params) : null}
          place="With a token: understudy access login"
        />
      </form>
      {plan !== null && <PlannedLevels plan={plan} />}
    </>
  );
}

const TITLES = { deploy: 'Run Puppet', task: 'Run a task', plan: 'Run a plan' } as const;
const BUTTONS = { deploy: 'Run Puppet', task: 'Run the task', plan: 'Run the plan' } as const;
const PERMISSIONS = { deploy: 'puppet_agent', task: 'tasks', plan: 'plans' } as const;

function addressOfPlan({ plan, environment }: JobForm): string {
  const [module = '', ...rest] = plan.split('::');
  const name = rest.length === 0 ? 'init' : rest.join('::');
  return `/orchestrator/v1/plans${pathOf(module, name)}?environment=${encodeURIComponent(environment)}`;
}

function addressOfTask({ task, environment }: JobForm): string {
  const [module = '', name = 'init'] = task.split('::');
  return `/orchestrator/v1/tasks${pathOf(module, name)}?environment=${encodeURIComponent(environment)}`;
}

async function sendJob(form: JobForm, params: Readonly<Record<string, unknown>>): Promise<void> {
  if (form.isLater) {
    await callApi('/orchestrator/v1/scheduled_jobs/environment_jobs', {
      method: 'POST',
      body: toSchedule(form, params),
    });
    announce('The job is scheduled.');
    navigate('/jobs/scheduled');
    return;
  }
  const { data } = await callApi(`/orchestrator/v1/command/${form.command === 'plan' ? 'plan_run' : form.command}`, {
    method: 'POST',
    body: toCommand(form, params),
  });
  if (form.command === 'plan') navigate(pathOf('jobs', 'plans', planJobIn(data) ?? ''));
  else navigate(pathOf('jobs', jobIdIn(data) ?? ''));
}

interface PartProps {
  readonly form: JobForm;
  readonly change: (changes: Partial<JobForm>) => void;
}

interface NamedList {
  readonly items: readonly { readonly name: string }[];
}

function WhatFields({ form, change }: PartProps) {
  const environments = useAnswer<NamedList>('/orchestrator/v1/environments');
  const names = environments.data?.items.map(({ name }) => name) ?? [];
  const offered = names.includes(form.environment) ? names : [form.environment, ...names];
  return (
    <div class="form-row">
      <SelectField
        label="Command"
        value={form.command}
        onChange={(command) => change({ command: readCommand(command) })}
        options={[
          ['deploy', 'Run Puppet'],
          ['task', 'Run a task'],
          ['plan', 'Run a plan'],
        ]}
      />
      <SelectField
        label="Environment"
        value={form.environment}
        onChange={(environment) => change({ environment })}
        options={offered.map((name) => [name, name] as const)}
      />
      <TextField label="Description" value={form.description} onChange={(description) => change({ description })} />
      {form.command !== 'plan' && (
        <CheckField
          label="Only show what would change (noop)"
          isChecked={form.isNoop}
          onChange={(isNoop) => change({ isNoop })}
        />
      )}
    </div>
  );
}

const INTERVALS: readonly (readonly [string, string])[] = [
  ['', 'Once'],
  ['3600', 'Every hour'],
  ['86400', 'Every day'],
  ['604800', 'Every week'],
];

function WhenFields({ form, change }: PartProps) {
  return (
    <div class="form-row">
      <SelectField
        label="Start"
        value={form.isLater ? 'later' : 'now'}
        onChange={(value) => change({ isLater: value === 'later' })}
        options={[
          ['now', 'Now'],
          ['later', 'Later'],
        ]}
      />
      {form.isLater ? (
        <>
          <TextField
            label="At"
            type="datetime-local"
            value={form.startAt}
            onChange={(startAt) => change({ startAt })}
            hint="In the time zone of this browser"
          />
          <SelectField
            label="Repeat"
            value={form.interval}
            onChange={(interval) => change({ interval })}
            options={INTERVALS}
          />
        </>
      ) : (
        form.command === 'deploy' && (
          <TextField
            label="Nodes at a time"
            value={form.concurrency}
            onChange={(concurrency) => change({ concurrency })}
            placeholder="no limit"
          />
        )
      )}
    </div>
  );
}

function PlannedLevels({ plan }: { readonly plan: DeployPlan }) {
  const away = plan.levels.flatMap(({ nodes }) => nodes.filter(({ connected }) => !connected));
  return (
    <section class="planned" aria-label="Order of the run">
      <p class={away.length > 0 ? 'notice notice-wait' : 'notice notice-good'} role="status">
        {plan.node_count.toLocaleString('en')} nodes in {plan.levels.length} levels;{' '}
        {away.length === 0 ? 'all are connected.' : `${away.length} are not connected: ${listSome(away)}`}
      </p>
      <Levels levels={plan.levels.map(({ level, nodes }) => ({ level, names: nodes.map(({ name }) => name) }))} />
    </section>
  );
}

function listSome(nodes: readonly { readonly name: string }[]): string {
  const names = nodes.slice(0, 10).map(({ name }) => name);
  return nodes.length > names.length ? `${names.join(', ')} …` : names.join(', ');
}
