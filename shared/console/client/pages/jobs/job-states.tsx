import type { JobSummary, NodeStates } from '../../data/job-shapes.ts';
import { StackedBar } from '../../parts/charts.tsx';

const ORDER: readonly (readonly [keyof NodeStates, string])[] = [
  ['finished', 'good'],
  ['failed', 'bad'],
  ['errored', 'bad'],
  ['skipped', 'mute'],
  ['stopping', 'wait'],
  ['running', 'accent'],
  ['ready', 'empty'],
  ['new', 'empty'],
];

/** The number of a job's nodes in each state, as a bar and in words. */
export function JobStates({ job }: { readonly job: JobSummary }) {
  const states = job.node_states ?? {};
  const bars = ORDER.map(([label, tone]) => ({ label, tone, value: states[label] ?? 0 }));
  const words = bars
    .filter(({ value }) => value > 0)
    .map(({ label, value }) => `${value.toLocaleString('en')} ${label}`);
  return (
    <div class="job-states">
      <StackedBar label={`Nodes of job ${job.name}`} bars={bars} />
      <span>{words.length === 0 ? `${job.node_count} nodes` : words.join(', ')}</span>
    </div>
  );
}
