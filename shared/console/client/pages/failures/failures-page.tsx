import { deployOf, type FailureRow, jobPathOf, printLine } from '../../data/failure-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { PageHead } from '../../parts/panel.tsx';
import { ChoiceBox, SearchBox } from '../../parts/search-box.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { whyPath } from '../why-path.ts';

const PAGE_SIZE = 50;
const KINDS: readonly (readonly [string, string])[] = [
  ['', 'Compiles and runs'],
  ['compile', 'Compiles'],
  ['run', 'Runs'],
];
const STATES: readonly (readonly [string, string])[] = [
  ['', 'Open'],
  ['closed', 'Closed'],
];
/** Failures come with nodes and reports, and the server groups them every ten seconds. */
export const FOLLOWED = { events: ['node', 'report'], every: 15_000 };

const COLUMNS: readonly TableColumn<FailureRow>[] = [
  { id: 'kind', title: 'Kind', show: (failure) => <StateBadge state={failureState(failure)} /> },
  { id: 'failure', title: 'Failure', isWide: true, show: (failure) => <FailureName failure={failure} /> },
  { id: 'count', title: 'Nodes', isNumeric: true, show: ({ count }) => count.toLocaleString('en') },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment },
  { id: 'first', title: 'First', show: ({ firstAt }) => <RelativeTime at={firstAt} /> },
  { id: 'last', title: 'Last', show: ({ lastAt }) => <RelativeTime at={lastAt} /> },
  { id: 'deploy', title: 'Since the deploy of', show: (failure) => <SinceDeploy failure={failure} /> },
];

const RUN_TASK: TableColumn<FailureRow> = {
  id: 'actions',
  title: 'Actions',
  show: (failure) => (
    <Link
      to={jobPathOf(failure, 'task')}
      class="button button-small"
      aria-label={`Run a task where ${failure.resource ?? failure.message} fails`}
    >
      Run a task
    </Link>
  ),
};

/** The word for the badge of a failure. */
export function failureState({ kind, closedAt }: FailureRow): string {
  return closedAt !== null ? 'closed' : `failing ${kind}`;
}

function FailureName({ failure }: { readonly failure: FailureRow }) {
  const { id, resource, message, lines } = failure;
  return (
    <>
      <Link to={pathOf('failures', id)} class="failure-name">
        {resource ?? message}
      </Link>
      {resource !== null && <span class="clamped">{message}</span>}
      {lines[0] !== undefined && <code class="muted">{printLine(lines[0])}</code>}
    </>
  );
}

function SinceDeploy({ failure }: { readonly failure: FailureRow }) {
  const deploy = deployOf(failure);
  if (deploy === null) return null;
  return (
    <Link to={whyPath(deploy)} title="What this deploy changed">
      <RelativeTime at={deploy.at} />
    </Link>
  );
}

/** The failures of all nodes, by message and resource. */
export function FailuresPage() {
  const [query] = useParameters();
  const answer = useAnswer(addressOf(query), FOLLOWED);
  const mayRunTasks = usePermission('tasks', 'run');
  return (
    <>
      <PageHead title="Failures" lead="What fails across the nodes, by message and resource" />
      <div class="filters">
        <ChoiceBox label="Kind" name="kind" options={KINDS} />
        <ChoiceBox label="State" name="state" options={STATES} />
        <SearchBox label="Environment" name="environment" placeholder="production" />
        <SearchBox label="Certname" name="certname" placeholder="web01.example.com" />
      </div>
      <AnswerView answer={answer} what="the failures" lines={12}>
        {({ failures, next }) =>
          failures.length === 0 ? (
            <EmptyState title={query.get('state') === 'closed' ? 'No failure ended lately.' : 'Nothing fails.'}>
              Failed compiles and failed runs are listed here, at most a minute later.
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Failures"
                columns={mayRunTasks ? [...COLUMNS, RUN_TASK] : COLUMNS}
                rows={failures}
                keyOf={({ id }) => id}
              />
              <CursorPager
                isFirst={!query.has('cursor')}
                next={next === null ? null : { cursor: next }}
                words={['First page', 'Next']}
              />
            </>
          )
        }
      </AnswerView>
    </>
  );
}

function addressOf(query: URLSearchParams): `/understudy/v1/failures?${string}` {
  const wanted = new URLSearchParams({ limit: String(PAGE_SIZE), state: query.get('state') || 'open' });
  for (const name of ['kind', 'environment', 'certname', 'cursor']) {
    const value = query.get(name) ?? '';
    if (value !== '') wanted.set(name, value);
  }
  return `/understudy/v1/failures?${wanted}`;
}
