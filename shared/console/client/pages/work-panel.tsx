import { stateOfDeploy } from '../data/overview-shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import { joinHours, SPANS, type WorkOverview, type WorkSpan } from '../data/work-spans.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { ColumnChart } from '../parts/charts.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { ChoiceBox } from '../parts/search-box.tsx';
import { printAbsolute, printRelative } from '../parts/time.tsx';
import { Link } from '../routing/link.tsx';
import { useParameters } from '../routing/location.ts';

const HOUR_MS = 3_600_000;
const RANGES: readonly (readonly [string, string])[] = [
  ['', 'Last day'],
  ['168', 'Last week'],
  ['720', 'Last month'],
];
/** The outcomes of runs, from the bottom of a column to its top. */
const OUTCOMES: readonly (readonly [outcome: string, tone: string])[] = [
  ['unchanged', 'mute'],
  ['noop', 'accent'],
  ['changed', 'good'],
  ['failed', 'bad'],
];

/** Runs and compiles over time, with the deploys of that time. */
export function WorkOverTimePanel() {
  const [query] = useParameters();
  const wanted = query.get('hours') ?? '';
  const hours = wanted in SPANS ? wanted : '24';
  const answer = useAnswer(`/understudy/v1/overview/hours?hours=${hours}`, { every: 60_000 });
  return (
    <Panel title="Runs over time" actions={<ChoiceBox label="Time" name="hours" options={RANGES} />}>
      <AnswerView answer={answer} what="the runs" lines={6}>
        {(work) => <WorkOverTime work={work} step={SPANS[hours] ?? 1} />}
      </AnswerView>
    </Panel>
  );
}

function WorkOverTime({ work, step }: { readonly work: WorkOverview; readonly step: number }) {
  const spans = joinHours(work, step);
  if (spans.length === 0) {
    return (
      <EmptyState title="No run was counted in this time.">Each process writes its counts once a minute.</EmptyState>
    );
  }
  const from = Math.floor(work.from / (step * HOUR_MS)) * step * HOUR_MS;
  return (
    <>
      <ColumnChart
        label="Runs by their outcome, over time"
        from={from}
        to={work.at}
        step={step * HOUR_MS}
        columns={spans.map((span) => ({
          at: span.at,
          title: describeSpan(span),
          parts: OUTCOMES.map(([label, tone]) => ({ label, tone, value: span.runs[label] ?? 0 })),
        }))}
        marks={work.deploys.map((deploy) => ({
          id: `${deploy.environment} ${deploy.at}`,
          at: deploy.at,
          title: `Deploy of ${deploy.environment}, ${printAbsolute(deploy.at)}: ${stateOfDeploy(deploy)}`,
          tone: deploy.isInForce ? 'good' : 'accent',
        }))}
        ends={[printRelative(from, work.at), 'now']}
        linkOf={reportsBefore}
      />
      <ul class="legend">
        {OUTCOMES.map(([label, tone]) => (
          <li key={label}>
            <span class={`legend-mark ground-${tone}`} />
            {label}
          </li>
        ))}
        <li>
          <span class="legend-mark legend-round ground-accent" />
          deploy
        </li>
      </ul>
      <details class="chart-table">
        <summary>The same as a table</summary>
        <DataTable
          label="Runs and compiles over time"
          columns={COLUMNS}
          rows={spans.toReversed()}
          keyOf={({ at }) => String(at)}
        />
      </details>
    </>
  );
}

/** The address of the reports that were there at a time. */
function reportsBefore(at: number): string {
  return `/reports?before=${at}`;
}

function describeSpan({ at, runs, refused, compiled, failedCompiles, p99 }: WorkSpan): string {
  const counts = OUTCOMES.map(([name]) => `${runs[name] ?? 0} ${name}`).join(', ');
  const compiles = `${compiled} compiled${failedCompiles > 0 ? `, ${failedCompiles} failed` : ''}`;
  const time = p99 === null ? '' : `, 99 % below ${p99} ms`;
  return `${printAbsolute(at)}: runs: ${counts}; ${refused} refused; compiles: ${compiles}${time}`;
}

const count = (id: string, title: string, read: (span: WorkSpan) => number): TableColumn<WorkSpan> => ({
  id,
  title,
  show: (span) => read(span).toLocaleString('en'),
});
const time = (id: string, title: string, read: (span: WorkSpan) => number | null): TableColumn<WorkSpan> => ({
  id,
  title,
  show: (span) => {
    const milliseconds = read(span);
    return milliseconds === null ? '' : `≤ ${milliseconds.toLocaleString('en')} ms`;
  },
});
const COLUMNS: readonly TableColumn<WorkSpan>[] = [
  { id: 'from', title: 'From', show: ({ at }) => <Link to={reportsBefore(at + HOUR_MS)}>{printAbsolute(at)}</Link> },
  ...OUTCOMES.toReversed().map(([name]) =>
    count(name, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, ({ runs }) => runs[name] ?? 0),
  ),
  count('refused', 'Refused', ({ refused }) => refused),
  count('compiled', 'Compiled', ({ compiled }) => compiled),
  count('uncompiled', 'Not compiled', ({ failedCompiles }) => failedCompiles),
  time('p50', 'Half of compiles', ({ p50 }) => p50),
  time('p99', '99 % of compiles', ({ p99 }) => p99),
];
