import type { WorkSpan } from './work-spans.ts';

/** A part of a column: its name, its colour, and its value in a span of time. */
interface MeasuredPart {
  readonly label: string;
  readonly tone: string;
  readonly read: (span: WorkSpan) => number;
}

/** A kind of columns in the chart of work. */
export interface WorkMeasure {
  /** The value in the address; empty for the first one. */
  readonly id: string;
  readonly title: string;
  /** The parts of a column from its bottom to its top. */
  readonly parts: readonly MeasuredPart[];
  /** The unit of the values; absent for numbers of things. */
  readonly unit?: string;
}

const run = (label: string, tone: string): MeasuredPart => ({ label, tone, read: ({ runs }) => runs[label] ?? 0 });

/** The outcomes of runs. */
export const RUN_PARTS: readonly MeasuredPart[] = [
  run('unchanged', 'mute'),
  run('noop', 'accent'),
  run('changed', 'good'),
  run('failed', 'bad'),
];

export const RUN_MEASURE: WorkMeasure = { id: '', title: 'Runs', parts: RUN_PARTS };

/** The measures, runs first. */
export const WORK_MEASURES: readonly WorkMeasure[] = [
  RUN_MEASURE,
  {
    id: 'compiles',
    title: 'Compiles',
    parts: [
      { label: 'compiled', tone: 'accent', read: ({ compiled }) => compiled },
      { label: 'not compiled', tone: 'bad', read: ({ failedCompiles }) => failedCompiles },
    ],
  },
  {
    id: 'held',
    title: 'Check-ins held',
    parts: [
      { label: 'waited for a compile', tone: 'wait', read: ({ held }) => held },
      { label: 'got the last good catalog', tone: 'odd', read: ({ stale }) => stale },
      { label: 'refused', tone: 'bad', read: ({ refused }) => refused },
    ],
  },
  {
    id: 'queue',
    title: 'Age of the queue',
    unit: 's',
    parts: [{ label: 'oldest job', tone: 'wait', read: ({ queueAgeMs }) => Math.round(queueAgeMs / 1000) }],
  },
  {
    id: 'fan-out',
    title: 'Nodes invalidated by deploys',
    parts: [{ label: 'invalidated', tone: 'accent', read: ({ invalidated }) => invalidated }],
  },
];
