import type { JobList, JobSummary } from '../../data/job-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Pager } from '../../parts/pager.tsx';
import { PageHead } from '../../parts/panel.tsx';
import { ChoiceBox } from '../../parts/search-box.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { JobStates } from './job-states.tsx';
import { readPageRequest } from './page-request.ts';
import { PlanJobs } from './plan-jobs.tsx';
import { ScheduledJobs } from './scheduled-jobs.tsx';

const PAGE_SIZE = 30;

const COLUMNS: readonly TableColumn<JobSummary>[] = [
  { id: 'name', title: 'Job', isSortable: true, show: ({ name }) => <Link to={pathOf('jobs', name)}>{name}</Link> },
  { id: 'state', title: 'State', isSortable: true, show: ({ state }) => <StateBadge state={state} /> },
  { id: 'what', title: 'What', isWide: true, show: (job) => describeWhat(job) },
  { id: 'nodes', title: 'Nodes', show: (job) => <JobStates job={job} /> },
  { id: 'owner', title: 'By', isSortable: true, show: ({ owner }) => owner.login },
  { id: 'environment', title: 'Environment', isSortable: true, show: ({ environment }) => environment.name },
  { id: 'timestamp', title: 'When', isSortable: true, show: ({ timestamp }) => <RelativeTime at={timestamp} /> },
  { id: 'duration', title: 'Took', isNumeric: true, show: ({ duration }) => printDuration(Number(duration)) },
];

/** Describes a job in a line. */
export function describeWhat({ command, options, description }: JobSummary): string {
  const task = typeof options.task === 'string' ? options.task : '';
  const isTask = command !== 'deploy';
  const what = isTask ? `Task ${task}` : options.noop === true ? 'Puppet (noop)' : 'Puppet';
  return description === '' ? what : `${what}: ${description}`;
}

/** The jobs of the orchestrator, and those that are scheduled. */
export function JobsPage({ tab }: { readonly tab: string }) {
  const mayRun = usePermission('puppet_agent', 'run');
  const mayRunTasks = usePermission('tasks', 'run');
  const mayRunPlans = usePermission('plans', 'run');
  return (
    <>
      <PageHead
        title="Jobs"
        lead="Puppet runs and tasks on nodes"
        actions={
          (mayRun || mayRunTasks || mayRunPlans) && (
            <>
              {mayRunPlans && (
                <Link to="/jobs/new?command=plan" class="button">
                  Run a plan
                </Link>
              )}
              {mayRunTasks && (
                <Link to="/jobs/new?command=task" class="button">
                  Run a task
                </Link>
              )}
              {mayRun && (
                <Link to="/jobs/new" class="button button-primary">
                  Run Puppet
                </Link>
              )}
            </>
          )
        }
      />
      <Tabs
        label="Jobs"
        chosen={tab}
        tabs={[
          { id: 'all', title: 'Jobs', to: '/jobs' },
          { id: 'plans', title: 'Plans', to: '/jobs/plans' },
          { id: 'scheduled', title: 'Scheduled', to: '/jobs/scheduled' },
        ]}
      />
      {tab === 'scheduled' ? <ScheduledJobs /> : tab === 'plans' ? <PlanJobs /> : <JobTable />}
    </>
  );
}

function JobTable() {
  const [query] = useParameters();
  const { offset, wanted } = readPageRequest(query, '-name', PAGE_SIZE);
  const type = query.get('type') ?? '';
  if (type !== '') wanted.set('type', type);
  const answer = useAnswer<JobList>(`/orchestrator/v1/jobs?${wanted}`, { events: ['job'], every: 5_000 });
  return (
    <>
      <div class="filters">
        <ChoiceBox
          label="What"
          name="type"
          options={[
            ['', 'All jobs'],
            ['deploy', 'Puppet runs'],
            ['task', 'Tasks'],
          ]}
        />
      </div>
      <AnswerView answer={answer} what="the jobs" lines={12}>
        {({ items, pagination }) =>
          items.length === 0 ? (
            <EmptyState title="No job has run yet.">
              <Link to="/jobs/new">Run Puppet</Link> on the nodes whose agents are connected to the broker.
            </EmptyState>
          ) : (
            <>
              <DataTable label="Jobs" columns={COLUMNS} rows={items} keyOf={({ name }) => name} defaultSort="-name" />
              <Pager shown={items.length} total={pagination.total} offset={offset} pageSize={PAGE_SIZE} />
            </>
          )
        }
      </AnswerView>
    </>
  );
}
