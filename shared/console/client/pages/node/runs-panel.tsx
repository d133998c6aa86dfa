import type { ApiSchema } from '../../../../api/described-answers.ts';
import type { AnswerState } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { printAbsolute, printDuration, printRelative, RelativeTime, useNow } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';

type NodeRuns = ApiSchema<'NodeRuns'>;
type Run = NodeRuns['runs'][number];

/** The outcomes of runs with their colours, in the order of the legend. */
const OUTCOMES: readonly (readonly [outcome: Run['outcome'], tone: string])[] = [
  ['unchanged', 'mute'],
  ['noop', 'accent'],
  ['changed', 'good'],
  ['failed', 'bad'],
  ['refused', 'wait'],
];
const TONES = new Map(OUTCOMES);
/** Height of the lowest cell, in per cent: a run without a duration is seen, too. */
const LEAST_HEIGHT = 12;

interface RunsPanelProps {
  readonly certname: string;
  readonly answer: AnswerState<NodeRuns>;
}

/** The last runs of a node as a strip, with the changes of its catalog and its next run. */
export function RunsPanel({ certname, answer }: RunsPanelProps) {
  return (
    <Panel title="Runs" actions={answer.data !== null && <NextRun runs={answer.data} />}>
      <AnswerView answer={answer} what="the runs" lines={5}>
        {(runs) =>
          runs.runs.length === 0 ? (
            <EmptyState title="No run is known yet.">A run is known by the report at its end.</EmptyState>
          ) : (
            <Runs certname={certname} runs={runs} />
          )
        }
      </AnswerView>
    </Panel>
  );
}

function NextRun({ runs: { nextAt, intervalMs } }: { readonly runs: NodeRuns }) {
  const now = useNow();
  if (nextAt === null || intervalMs === null) return <span class="muted">next run: not known</span>;
  // A run that is half an interval late may still be a slow one.
  const isLate = now > nextAt + intervalMs / 2;
  return (
    <span class={isLate ? 'late' : 'muted'} title={`Usually one each ${printDuration(intervalMs / 1000)}`}>
      {isLate ? 'late: expected ' : 'next run expected '}
      <RelativeTime at={nextAt} />
    </span>
  );
}

function Runs({ certname, runs }: { readonly certname: string; readonly runs: NodeRuns }) {
  const { isEach, unchangedCount } = runs;
  const marked = markRuns(runs);
  const oldest = runs.runs.at(-1)?.at ?? 0;
  const now = useNow();
  return (
    <>
      <Strip certname={certname} runs={runs.runs} marked={marked} />
      <div class="timeline-ends">
        <span>{printRelative(oldest, now)}</span>
        <span>the last run</span>
      </div>
      <ul class="legend">
        {OUTCOMES.map(([outcome, tone]) => (
          <li key={outcome}>
            <span class={`legend-mark ground-${tone}`} />
            {outcome}
          </li>
        ))}
        <li>
          <span class="legend-mark run-mark" />
          the catalog changed
        </li>
      </ul>
      {!isEach && (
        <p class="muted">
          Runs that changed nothing are counted only: {unchangedCount.toLocaleString('en')} so far, of which the last
          one is shown. A server with an inventory shows each.
        </p>
      )}
      <details class="chart-table">
        <summary>The same as a table</summary>
        <DataTable
          label="Runs of the node"
          columns={columnsOf(certname, marked)}
          rows={runs.runs}
          keyOf={({ at, transactionUuid }) => `${at} ${transactionUuid}`}
        />
      </details>
    </>
  );
}

/** The code of a catalog that changed before a run, by the run. */
type MarkedRuns = ReadonlyMap<Run, string | null>;

/** Finds the first run after each change of the catalog. */
function markRuns({ runs, catalogs }: NodeRuns): MarkedRuns {
  const found = new Map<Run, string | null>();
  for (const { at, codeId } of catalogs) {
    const run = runs.findLast((one) => one.at >= at);
    if (run !== undefined && (runs.at(-1)?.at ?? at) <= at) found.set(run, codeId);
  }
  return found;
}

interface StripProps {
  readonly certname: string;
  readonly runs: readonly Run[];
  readonly marked: MarkedRuns;
}

/** A cell for each run, the oldest left: its colour is the outcome, its height the duration. */
function Strip({ certname, runs, marked }: StripProps) {
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs ?? 0));
  const counts = OUTCOMES.map(([outcome]) => `${runs.filter((run) => run.outcome === outcome).length} ${outcome}`);
  return (
    <>
      <p class="visually-hidden">{`The last ${runs.length} runs: ${counts.join(', ')}`}</p>
      <div class="run-strip" aria-hidden="true">
        {runs.toReversed().map((run) => {
          const height = LEAST_HEIGHT + ((100 - LEAST_HEIGHT) * (run.durationMs ?? 0)) / longest;
          const cell = (
            <>
              {marked.has(run) && <span class="run-mark" />}
              <span class={`run-bar ground-${TONES.get(run.outcome) ?? 'mute'}`} style={{ height: `${height}%` }} />
            </>
          );
          return (
            <span key={`${run.at} ${run.transactionUuid}`} class="run-cell" title={describeRun(run, marked)}>
              {run.hasReport && run.transactionUuid !== null ? (
                <Link to={pathOf('reports', certname, run.transactionUuid)} class="run-link" tabIndex={-1}>
                  {cell}
                </Link>
              ) : (
                cell
              )}
            </span>
          );
        })}
      </div>
    </>
  );
}

function describeRun(run: Run, marked: MarkedRuns): string {
  const took = run.durationMs === null ? '' : `, took ${printDuration(run.durationMs / 1000)}`;
  return `${printAbsolute(run.at)}: ${run.outcome}${took}${marked.has(run) ? ', with another catalog' : ''}`;
}

function columnsOf(certname: string, marked: MarkedRuns): readonly TableColumn<Run>[] {
  return [
    {
      id: 'at',
      title: 'When',
      show: ({ at, hasReport, transactionUuid }) =>
        hasReport && transactionUuid !== null ? (
          <Link to={pathOf('reports', certname, transactionUuid)}>{printAbsolute(at)}</Link>
        ) : (
          printAbsolute(at)
        ),
    },
    { id: 'outcome', title: 'Outcome', show: ({ outcome }) => <StateBadge state={outcome} /> },
    {
      id: 'took',
      title: 'Took',
      isNumeric: true,
      show: ({ durationMs }) => (durationMs === null ? '' : printDuration(durationMs / 1000)),
    },
    {
      id: 'catalog',
      title: 'Catalog',
      show: (run) =>
        marked.has(run) ? (
          <>
            changed, code <ShortId id={marked.get(run) ?? null} />
          </>
        ) : (
          ''
        ),
    },
  ];
}
