import type { Change, Deploy, FleetState, Overview } from '../data/overview-shapes.ts';
import { type AnswerState, useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { Histogram, StackedBar, Timeline } from '../parts/charts.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { FactList, PageHead, Panel } from '../parts/panel.tsx';
import { explainState, StateBadge } from '../parts/state-badge.tsx';
import { printDuration, printRelative, RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { pathOf } from '../routing/match-route.ts';

const STATES: readonly (readonly [FleetState, string])[] = [
  ['current', 'good'],
  ['stale', 'wait'],
  ['failing', 'bad'],
  ['volatile', 'odd'],
  ['silent', 'mute'],
];
const EVENTS = ['node', 'report', 'deploy'];

/** The state of the fleet at a glance. */
export function OverviewPage() {
  const answer = useAnswer<Overview>('/understudy/v1/overview', { events: EVENTS, every: 30_000 });
  return (
    <>
      <PageHead
        title="Overview"
        lead={answer.data === null ? 'The state of the fleet' : <Totals overview={answer.data} />}
      />
      <AnswerView answer={answer} what="the overview" lines={18}>
        {(overview) => <OverviewPanels overview={overview} answer={answer} />}
      </AnswerView>
    </>
  );
}

function Totals({ overview }: { readonly overview: Overview }) {
  return (
    <>
      {overview.total.toLocaleString('en')} nodes, as of <RelativeTime at={overview.at} />
    </>
  );
}

function OverviewPanels({ overview }: { readonly overview: Overview; readonly answer: AnswerState<Overview> }) {
  if (overview.total === 0) {
    return (
      <EmptyState title="No node has asked yet.">
        Point an agent at this server: <code>puppet agent --test --server HOST</code>. Its certificate request waits
        under <Link to="/certificates">Certificates</Link>.
      </EmptyState>
    );
  }
  return (
    <div class="grid">
      <StatesPanel overview={overview} />
      <AgesPanel overview={overview} />
      <WorkPanel overview={overview} />
      <DeploysPanel deploys={overview.deploys} now={overview.at} />
      <ChangesPanel changes={overview.changes} />
    </div>
  );
}

function StatesPanel({ overview }: { readonly overview: Overview }) {
  const bars = STATES.map(([label, tone]) => ({ label, tone, value: overview.states[label] }));
  return (
    <Panel title="Nodes by state">
      <StackedBar label="Nodes by state" bars={bars} />
      <ul class="tiles">
        {bars.map(({ label, value }) => (
          <li key={label}>
            <Link to={`/nodes?state=${label}`} class="tile" title={explainState(label)}>
              <span class="tile-value">{value.toLocaleString('en')}</span>
              <StateBadge state={label} />
              <span class="tile-share">{printShare(value, overview.total)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function printShare(value: number, total: number): string {
  if (total === 0) return '0 %';
  const share = (100 * value) / total;
  return share > 0 && share < 0.1 ? '< 0.1 %' : `${share.toFixed(share < 10 ? 1 : 0)} %`;
}

function AgesPanel({ overview }: { readonly overview: Overview }) {
  return (
    <Panel title="Age of catalogs" span={7}>
      <Histogram
        label="Nodes by the age of their catalog"
        bars={overview.ages.map(({ upTo, nodes }, index) => ({
          label: printAge(upTo, overview.ages[index - 1]?.upTo ?? null),
          value: nodes,
        }))}
      />
    </Panel>
  );
}

function printAge(upTo: number | null, before: number | null): string {
  return upTo === null ? `> ${printSpan(before ?? 0)}` : `≤ ${printSpan(upTo)}`;
}

function printSpan(seconds: number): string {
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

function WorkPanel({ overview }: { readonly overview: Overview }) {
  const { requests, queue, ring } = overview;
  const all = requests.hits + requests.stale + requests.misses;
  return (
    <Panel title="Work" span={5} actions={<Link to="/queue">Queue</Link>}>
      <FactList
        entries={[
          ['Requests from stored catalogs', `${printShare(requests.hits, all)} of ${all.toLocaleString('en')}`],
          ['Served stale', requests.stale.toLocaleString('en')],
          ['Waited for a compile', requests.misses.toLocaleString('en')],
          ['Counted since', <RelativeTime key="since" at={requests.since} />],
          ['In the queue', queue.depth.toLocaleString('en')],
          ['Oldest in the queue', queue.oldestAt === null ? 'none' : <RelativeTime key="age" at={queue.oldestAt} />],
          ['Dead letters', queue.deadLetters === 0 ? 'none' : <Link to="/queue">{queue.deadLetters}</Link>],
          ['Ring has verified up to', <RelativeTime key="ring" at={ring.position} />],
          ['Ring is behind by', ring.lagSeconds <= 0 ? 'nothing' : printDuration(ring.lagSeconds)],
        ]}
      />
    </Panel>
  );
}

function DeploysPanel({ deploys, now }: { readonly deploys: readonly Deploy[]; readonly now: number }) {
  const from = Math.min(now - 86_400_000, ...deploys.map(({ at }) => at));
  return (
    <Panel title="Deploys" actions={<Link to="/code">Code</Link>}>
      {deploys.length === 0 ? (
        <EmptyState title="No code was deployed yet.">
          <code>understudy code deploy production</code> deploys an environment.
        </EmptyState>
      ) : (
        <Timeline
          label="Deploys"
          from={from}
          to={now}
          ends={[printRelative(from, now), 'now']}
          marks={deploys.map(({ id, at, environment, status }) => ({
            id,
            at,
            title: `${environment}, ${printRelative(at, now)}: ${status}`,
            tone: status === 'failed' ? 'bad' : 'accent',
          }))}
        />
      )}
    </Panel>
  );
}

const CHANGE_COLUMNS: readonly TableColumn<Change>[] = [
  { id: 'at', title: 'When', show: ({ at }) => <RelativeTime at={at} /> },
  { id: 'kind', title: 'What', show: ({ kind }) => kind },
  {
    id: 'summary',
    title: 'Change',
    isWide: true,
    show: ({ id, summary }) => <Link to={pathOf('why', id)}>{summary}</Link>,
  },
  { id: 'environment', title: 'Environment', show: ({ environment }) => environment ?? '' },
  { id: 'nodes', title: 'Nodes', isNumeric: true, show: ({ nodes }) => nodes.toLocaleString('en') },
  {
    id: 'pending',
    title: 'Not current yet',
    isNumeric: true,
    show: ({ pending }) => (pending === 0 ? '' : pending.toLocaleString('en')),
  },
];

function ChangesPanel({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <Panel title="What changed last" actions={<Link to="/why">All changes</Link>}>
      {changes.length === 0 ? (
        <EmptyState title="Nothing has changed yet." />
      ) : (
        <DataTable label="What changed last" columns={CHANGE_COLUMNS} rows={changes} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}
