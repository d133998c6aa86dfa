import { addQueues, type Deploy, type Overview, type ShownState } from '../data/overview-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { StackedBar } from '../parts/charts.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { NoNodeYet } from '../parts/no-node-yet.tsx';
import { FactList, PageHead, Panel } from '../parts/panel.tsx';
import { explainState, StateBadge } from '../parts/state-badge.tsx';
import { printDuration, RelativeTime } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { ServersPanel } from './servers-panel.tsx';
import { CHANGE_COLUMNS } from './why-page.tsx';
import { WorkOverTimePanel } from './work-panel.tsx';

const STATES: readonly (readonly [ShownState, string])[] = [
  ['current', 'good'],
  ['stale', 'wait'],
  ['failing', 'bad'],
  ['volatile', 'odd'],
  ['silent', 'mute'],
  ['new', 'accent'],
];
const EVENTS = ['node', 'report', 'deploy'];

/** The state of the fleet at a glance. */
export function OverviewPage() {
  const answer = useAnswer('/understudy/v1/overview', { events: EVENTS, every: 30_000 });
  return (
    <>
      <PageHead
        title="Overview"
        lead={answer.data === null ? 'The state of the fleet' : <Totals overview={answer.data} />}
      />
      <AnswerView answer={answer} what="the overview" lines={18}>
        {(overview) => <OverviewPanels overview={overview} />}
      </AnswerView>
    </>
  );
}

function Totals({ overview }: { readonly overview: Overview }) {
  return (
    <>
      {overview.total === 1 ? '1 node' : `${overview.total.toLocaleString('en')} nodes`}
      {overview.isComplete ? ', as of ' : ', still counting '}
      {overview.at !== null && <RelativeTime at={overview.at} />}
    </>
  );
}

function OverviewPanels({ overview }: { readonly overview: Overview }) {
  const servers = overview.sharing && <ServersPanel {...overview.sharing} />;
  if (overview.total === 0 && overview.isComplete) {
    return (
      <>
        <NoNodeYet requests={overview.certificateRequests ?? 0} />
        {servers}
      </>
    );
  }
  return (
    <div class="grid">
      <StatesPanel overview={overview} />
      <WorkOverTimePanel />
      <WorkPanel overview={overview} />
      <ChangesPanel deploys={overview.deploys} />
      {servers}
    </div>
  );
}

function StatesPanel({ overview }: { readonly overview: Overview }) {
  const bars = STATES.map(([label, tone]) => ({ label, tone, value: overview.states[label] ?? 0 }));
  return (
    <Panel title="Nodes by state">
      <StackedBar label="Nodes by state" bars={bars} />
      <ul class="tiles">
        {bars.map(({ label, value }) => (
          <li key={label}>
            {label === 'failing' ? (
              <FailingTile overview={overview} />
            ) : (
              <Link to={`/nodes?state=${label}`} class="tile" title={explainState(label)}>
                <span class="tile-value">{value.toLocaleString('en')}</span>
                <StateBadge state={label} />
                <span class="tile-share">{printShare(value, overview.total)}</span>
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The failing nodes, with those that do not compile apart from those whose run failed. */
function FailingTile({ overview: { states, failing, total } }: { readonly overview: Overview }) {
  const value = states.failing ?? 0;
  const kinds = (['compile', 'run'] as const).filter((cause) => failing[cause] > 0);
  return (
    <div class="tile" title={explainState('failing')}>
      <Link to="/nodes?state=failing" class="tile-value">
        {value.toLocaleString('en')}
      </Link>
      <StateBadge state="failing" />
      <span class="tile-share">{printShare(value, total)}</span>
      {kinds.length > 0 && (
        <span class="tile-parts">
          {kinds.map((cause) => (
            <Link key={cause} to={`/nodes?state=failing&cause=${cause}`}>
              {failing[cause].toLocaleString('en')} {cause}
            </Link>
          ))}
        </span>
      )}
    </div>
  );
}

function printShare(value: number, total: number): string {
  if (total === 0 || value === 0) return '0 %';
  const share = (100 * value) / total;
  return share > 0 && share < 0.1 ? '< 0.1 %' : `${share.toFixed(share < 10 ? 1 : 0)} %`;
}

/** The ages of catalogs in a line: the last bound is that of the oldest. */
function printAges(ages: Overview['ages']): string {
  return ages
    .map(({ upTo, nodes }, index) => [nodes, printAge(upTo, ages[index - 1]?.upTo ?? null)] as const)
    .flatMap(([nodes, age]) => (nodes === 0 ? [] : [`${nodes.toLocaleString('en')} ${age}`]))
    .join(', ');
}

function printAge(upTo: number | null, before: number | null): string {
  return upTo === null ? `> ${printSpan(before ?? 0)}` : `≤ ${printSpan(upTo)}`;
}

function printSpan(seconds: number): string {
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** The words for kinds of answers. */
const ANSWERS: Readonly<Record<string, string>> = {
  hit: 'Stored catalogs at once',
  miss: 'Waited for a compile',
  stale: 'Got the last good catalog',
  failed: 'Got an error',
  unavailable: 'Turned away for later',
};

function WorkPanel({ overview }: { readonly overview: Overview }) {
  const { since, ...answers } = overview.requests;
  const all = Object.values(answers).reduce((sum, count) => sum + count, 0);
  const counted = Object.entries(answers).map(([kind, count]): readonly [string, string] => [
    ANSWERS[kind] ?? kind.replaceAll('_', ' '),
    `${count.toLocaleString('en')} (${printShare(count, all)})`,
  ]);
  const queue = addQueues(overview.queue);
  const dead = overview.queue.dead?.visible ?? 0;
  const waiting = overview.certificateRequests ?? 0;
  return (
    <Panel title="Work" actions={<Link to="/queue">Queue</Link>}>
      <FactList
        entries={[
          ...(counted.length === 0 ? ([['Catalogs asked for', 'none']] as const) : counted),
          ['Counted since', <RelativeTime key="since" at={since} />],
          ['Ages of catalogs', printAges(overview.ages) || 'none'],
          ['In the queue', `${queue.visible.toLocaleString('en')}, ${queue.inFlight.toLocaleString('en')} running`],
          ['Oldest in the queue', queue.oldestAgeMs === 0 ? 'none' : printDuration(queue.oldestAgeMs / 1000)],
          ['Dead letters', dead === 0 ? 'none' : <Link to="/queue">{dead}</Link>],
          ['Ring has looked up to', <RelativeTime key="ring" at={overview.ring.position} />],
          ['Certificate requests', waiting === 0 ? 'none' : <Link to="/certificates">{waiting}</Link>],
        ]}
      />
    </Panel>
  );
}

/** Number of the newest changes shown. */
const MOST_CHANGES = 6;

function ChangesPanel({ deploys }: { readonly deploys: readonly Deploy[] }) {
  return (
    <Panel title="What changed last" actions={<Link to="/why">All changes</Link>}>
      {deploys.length === 0 ? (
        <EmptyState title="Nothing has changed yet." />
      ) : (
        <DataTable
          label="List of changes"
          columns={CHANGE_COLUMNS}
          rows={deploys.slice(0, MOST_CHANGES)}
          keyOf={({ environment, at }) => `${environment} ${at}`}
        />
      )}
    </Panel>
  );
}
