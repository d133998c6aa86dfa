import type { PlanJob, PlanJobList } from '../../data/job-shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Pager } from '../../parts/pager.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { readPageRequest } from './page-request.ts';

const PAGE_SIZE = 30;

const COLUMNS: readonly TableColumn<PlanJob>[] = [
  {
    id: 'name',
    title: 'Plan job',
    isSortable: true,
    show: ({ name }) => <Link to={pathOf('jobs', 'plans', name)}>{name}</Link>,
  },
  { id: 'state', title: 'State', isSortable: true, show: ({ state }) => <StateBadge state={badgeOf(state)} /> },
  { id: 'what', title: 'Plan', isWide: true, show: (job) => describePlan(job) },
  { id: 'owner', title: 'By', isSortable: true, show: ({ owner }) => owner.login },
  { id: 'environment', title: 'Environment', show: ({ options }) => options.environment ?? '' },
  {
    id: 'timestamp',
    title: 'When',
    isSortable: true,
    show: (job) => <RelativeTime at={job.finished_timestamp ?? job.created_timestamp} />,
  },
  { id: 'duration', title: 'Took', isNumeric: true, show: ({ duration }) => printDuration(duration) },
];

/** The state of a plan job in the words of jobs. */
export function badgeOf(state: PlanJob['state']): string {
  if (state === 'success') return 'finished';
  return state === 'failure' ? 'failed' : state;
}

/** Describes a plan job in a line. */
export function describePlan({ options }: Pick<PlanJob, 'options'>): string {
  return options.description === '' ? options.plan_name : `${options.plan_name}: ${options.description}`;
}

/** The plan jobs of the orchestrator. */
export function PlanJobs() {
  const [query] = useParameters();
  const { offset, wanted } = readPageRequest(query, '-name', PAGE_SIZE);
  wanted.set('results', 'exclude');
  const answer = useAnswer<PlanJobList>(`/orchestrator/v1/plan_jobs?${wanted}`, { every: 5_000 });
  return (
    <AnswerView answer={answer} what="the plan jobs" lines={12}>
      {({ items, pagination }) =>
        items.length === 0 ? (
          <EmptyState title="No plan has run yet.">
            <Link to="/jobs/new?command=plan">Run a plan</Link> of a deployed environment.
          </EmptyState>
        ) : (
          <>
            <DataTable
              label="Plan jobs"
              columns={COLUMNS}
              rows={items}
              keyOf={({ name }) => name}
              defaultSort="-name"
            />
            <Pager shown={items.length} total={pagination.total} offset={offset} pageSize={PAGE_SIZE} />
          </>
        )
      }
    </AnswerView>
  );
}
