import { useEffect, useState } from 'preact/hooks';
import type { AnswerOptions } from '../../data/answer-options.ts';
import { callApi } from '../../data/api-client.ts';
import { stopJobCommand } from '../../data/commands/cli-commands.ts';
import {
  hasEnded,
  type JobEventList,
  type JobLevels,
  type JobNodeList,
  type JobNodeRow,
  type JobSummary,
} from '../../data/job-shapes.ts';
import { subscribeToEvents } from '../../data/live-events.ts';
import { useAction } from '../../data/use-action.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { AfterAnswer, useSettled } from '../../parts/after-answer.tsx';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { NodeLink } from '../../parts/certname.tsx';
import { showValue } from '../../parts/code-block.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { CheckField } from '../../parts/fields.tsx';
import { Pager } from '../../parts/pager.tsx';
import { FactList, PageHead, Panel } from '../../parts/panel.tsx';
import { ChoiceBox } from '../../parts/search-box.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { printDuration, RelativeTime } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { Link } from '../../routing/link.tsx';
import { useParameters } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { JobStates } from './job-states.tsx';
import { describeWhat } from './jobs-page.tsx';
import { readPageRequest } from './page-request.ts';

const PAGE_SIZE = 50;
/** Intervals between reads of a running job: without events about it, and besides its events. */
const EVERY_MS = 2_000;
const EVERY_WITH_EVENTS_MS = 20_000;
const EVENTS = ['job', 'job-nodes'];

/** One job: its progress, its nodes with their results, its order and its events. */
export function JobPage({ job, tab }: { readonly job: string; readonly tab: string }) {
  const base = `/orchestrator/v1/jobs/${encodeURIComponent(job)}`;
  const [isOver, setOver] = useState(false);
  const every = useHasEvents(job) ? EVERY_WITH_EVENTS_MS : EVERY_MS;
  const concerns = (data: unknown) => idOfJob(data) === null || idOfJob(data) === job;
  const live: AnswerOptions = isOver ? {} : { events: EVENTS, every, concerns };
  const answer = useAnswer<JobSummary>(base, live);
  const isSettled = useSettled([answer]);
  const hasJustEnded = answer.data !== null && hasEnded(answer.data.state);
  if (hasJustEnded !== isOver) setOver(hasJustEnded);
  return (
    <>
      <PageHead
        title={`Job ${job}`}
        lead={answer.data === null ? 'Job' : <JobLead job={answer.data} />}
        actions={answer.data !== null && !isOver && <StopJob job={job} onDone={answer.reload} />}
      />
      <AnswerView answer={answer} what="the job" lines={4} isSummary>
        {(found) => <JobSummaryPanel job={found} />}
      </AnswerView>
      <AfterAnswer isSettled={isSettled}>
        <Tabs
          label="About the job"
          chosen={tab}
          tabs={[
            { id: 'nodes', title: 'Nodes', to: pathOf('jobs', job) },
            { id: 'order', title: 'Run order', to: pathOf('jobs', job, 'order') },
            { id: 'events', title: 'Events', to: pathOf('jobs', job, 'events') },
          ]}
        />
        {tab === 'order' ? (
          <OrderTab base={base} />
        ) : tab === 'events' ? (
          <EventsTab base={base} live={live} />
        ) : (
          <NodesTab base={base} live={live} isOver={isOver} />
        )}
      </AfterAnswer>
    </>
  );
}

/** Whether an event was about the job since the page was opened. */
function useHasEvents(job: string): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => subscribeToEvents(EVENTS, ({ data }) => setHas((before) => before || idOfJob(data) === job)), [job]);
  return has;
}

/** The job that an event is about; null when it does not say. */
function idOfJob(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('id' in data)) return null;
  return String(data.id);
}

function JobLead({ job }: { readonly job: JobSummary }) {
  return (
    <span class="lead-row">
      <span role="status">
        <StateBadge state={job.state} />
      </span>
      <span>{describeWhat(job)}</span>
    </span>
  );
}

function JobSummaryPanel({ job }: { readonly job: JobSummary }) {
  const { options } = job;
  return (
    <div class="summary">
      <FactList
        entries={[
          ['Nodes', <JobStates key="states" job={job} />],
          ['Took', printDuration(Number(job.duration))],
        ]}
      />
      <FactList
        entries={[
          ['Started', <RelativeTime key="started" at={job.started_timestamp} />],
          [
            'Ended',
            job.finished_timestamp === null ? 'not yet' : <RelativeTime key="ended" at={job.finished_timestamp} />,
          ],
          ['By', job.owner.login],
        ]}
      />
      <FactList
        entries={[
          ['Environment', job.environment.name],
          ['Scope', <JobScope key="scope" scope={options.scope} />],
          ...(job.command === 'task'
            ? ([['Parameters', <code key="params">{showValue(options.params ?? {})}</code>]] as const)
            : []),
        ]}
      />
    </div>
  );
}

/** Maximum number of nodes of a scope that are named. */
const MOST_SCOPE = 5;

/** The scope of a job: nodes by name, a query, a group, or everything. */
function JobScope({ scope }: { readonly scope: unknown }) {
  if (typeof scope !== 'object' || scope === null) return <>all nodes of the environment</>;
  const group: unknown = Reflect.get(scope, 'node_group');
  if (typeof group === 'string') return <Link to={pathOf('groups', group)}>the nodes of a group</Link>;
  const nodes: unknown = Reflect.get(scope, 'nodes');
  if (!Array.isArray(nodes)) return <code>{showValue(Reflect.get(scope, 'query') ?? scope)}</code>;
  const names = nodes.slice(0, MOST_SCOPE).join(', ');
  return <>{nodes.length > MOST_SCOPE ? `${names} and ${nodes.length - MOST_SCOPE} more` : names}</>;
}

const NODE_STATES: readonly (readonly [string, string])[] = [
  ['', 'All states'],
  ...['new', 'running', 'finished', 'failed', 'errored', 'skipped'].map((state) => [state, state] as const),
];

const COLUMNS: readonly TableColumn<JobNodeRow>[] = [
  { id: 'name', title: 'Node', isSortable: true, show: ({ name }) => <NodeLink certname={name} /> },
  { id: 'state', title: 'State', isSortable: true, show: ({ state }) => <StateBadge state={state} /> },
  { id: 'duration', title: 'Took', isSortable: true, isNumeric: true, show: ({ duration }) => printDuration(duration) },
  {
    id: 'finish_timestamp',
    title: 'Ended',
    isSortable: true,
    show: (node) => <RelativeTime at={node.finish_timestamp} />,
  },
  { id: 'message', title: 'Message', isWide: true, show: ({ details }) => details.message ?? '' },
  { id: 'result', title: 'Result', isWide: true, show: (node) => <NodeResult node={node} /> },
];

function NodesTab({
  base,
  live,
  isOver,
}: {
  readonly base: string;
  readonly live: AnswerOptions;
  readonly isOver: boolean;
}) {
  const [query] = useParameters();
  const { offset, wanted } = readPageRequest(query, 'name', PAGE_SIZE);
  const state = query.get('state') ?? '';
  if (state !== '') wanted.set('state', state);
  const answer = useAnswer<JobNodeList>(`${base}/nodes?${wanted}`, live);
  // The last step of a job is read once more when it has ended.
  useReadAtEnd(isOver, answer.reload);
  return (
    <>
      <div class="filters">
        <ChoiceBox label="State" name="state" options={NODE_STATES} />
      </div>
      <AnswerView answer={answer} what="the nodes of the job" lines={10}>
        {({ items, pagination }) =>
          items.length === 0 ? (
            <EmptyState title="No node is in this state." />
          ) : (
            <>
              <DataTable
                label="Nodes of the job"
                columns={COLUMNS}
                rows={items}
                keyOf={({ name }) => name}
                defaultSort="name"
              />
              <Pager shown={items.length} total={pagination.total} offset={offset} pageSize={PAGE_SIZE} />
            </>
          )
        }
      </AnswerView>
    </>
  );
}

function useReadAtEnd(isOver: boolean, reload: () => void): void {
  const [was, setWas] = useState(isOver);
  if (was === isOver) return;
  setWas(isOver);
  if (isOver) reload();
}

function NodeResult({ node }: { readonly node: JobNodeRow }) {
  const report =
    node.transaction_uuid !== null && node.finish_timestamp !== null ? (
      <Link to={pathOf('reports', node.name, node.transaction_uuid)}>Report</Link>
    ) : null;
  if (node.result === undefined || node.result === null) return report;
  return (
    <details class="result">
      <summary>Show</summary>
      {report}
      <pre class="result-text">{showValue(node.result)}</pre>
    </details>
  );
}

function OrderTab({ base }: { readonly base: string }) {
  const answer = useAnswer<JobLevels>(`${base}/order`);
  return (
    <AnswerView answer={answer} what="the order" lines={6}>
      {({ levels }) => <Levels levels={levels.map(({ level, nodes }) => ({ level, names: nodes }))} />}
    </AnswerView>
  );
}

/** Maximum number of nodes of a level that are named. */
const MOST_NAMES = 100;

/** Levels of nodes: those of a level wait for those of the levels before. */
export function Levels({
  levels,
}: {
  readonly levels: readonly { readonly level: number; readonly names: readonly string[] }[];
}) {
  if (levels.length === 0) return <EmptyState title="The nodes run in any order." />;
  return (
    <ol class="levels">
      {levels.map(({ level, names }) => (
        <li key={level}>
          <Panel
            title={`Level ${level + 1}`}
            actions={<span class="muted">{names.length.toLocaleString('en')} nodes</span>}
          >
            <p class="names">
              {names.slice(0, MOST_NAMES).join(', ')}
              {names.length > MOST_NAMES && ` and ${(names.length - MOST_NAMES).toLocaleString('en')} more`}
            </p>
          </Panel>
        </li>
      ))}
    </ol>
  );
}

/** The newest events that are shown. */
const MOST_EVENTS = 500;

function EventsTab({ base, live }: { readonly base: string; readonly live: AnswerOptions }) {
  const answer = useAnswer<JobEventList>(`${base}/events`, live);
  return (
    <AnswerView answer={answer} what="the events" lines={8}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title="Nothing has happened yet." />
        ) : (
          <DataTable
            label="Events of the job"
            columns={EVENT_COLUMNS}
            rows={items.slice(-MOST_EVENTS).toReversed()}
            keyOf={({ id }) => id}
          />
        )
      }
    </AnswerView>
  );
}

const EVENT_COLUMNS: readonly TableColumn<JobEventList['items'][number]>[] = [
  { id: 'at', title: 'When', show: ({ timestamp }) => <RelativeTime at={timestamp} /> },
  { id: 'type', title: 'What', show: ({ type }) => type.replaceAll('_', ' ') },
  { id: 'message', title: 'Message', isWide: true, show: ({ message }) => message },
];

function StopJob({ job, onDone }: { readonly job: string; readonly onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const [isForced, setForced] = useState(false);
  const stop = useAction(async () => {
    await callApi('/orchestrator/v1/command/stop', { method: 'POST', body: { job, force: isForced } });
    announce(`Job ${job} is being stopped.`);
    setOpen(false);
    onDone();
  });
  return (
    <>
      <button type="button" class="button button-danger" onClick={() => setOpen(true)}>
        Stop
      </button>
      {isOpen && (
        <ActionDialog
          title={`Stop job ${job}?`}
          action={stop}
          label="Stop it"
          cancel="Let it run"
          tone="danger"
          command={stopJobCommand('job', job, isForced)}
          onClose={() => setOpen(false)}
        >
          <p>Nodes that have not started are skipped. Nodes that run may finish.</p>
          <CheckField label="Do not wait for those that run" isChecked={isForced} onChange={setForced} />
        </ActionDialog>
      )}
    </>
  );
}
