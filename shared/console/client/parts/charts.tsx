import { Link } from '../routing/link.tsx';

/** A part of a bar or of a column. */
interface ChartBar {
  readonly label: string;
  readonly value: number;
  /** The name of a colour of the design, as `good`. */
  readonly tone?: string;
}

interface StackedBarProps {
  readonly label: string;
  readonly bars: readonly ChartBar[];
}

/** One bar, its parts in proportion, each at least visible. */
export function StackedBar({ label, bars }: StackedBarProps) {
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const spoken = bars.map((bar) => `${bar.label}: ${bar.value}`).join(', ');
  let offset = 0;
  return (
    <svg class="stacked" viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label={`${label}. ${spoken}`}>
      <rect class="tone-empty" x="0" y="0" width="1000" height="12" />
      {bars.map((bar) => {
        const width = total === 0 ? 0 : (1000 * bar.value) / total;
        const x = offset;
        offset += width;
        return (
          <rect key={bar.label} class={`tone-${bar.tone ?? 'accent'}`} x={x} y="0" width={width} height="12">
            <title>{`${bar.label}: ${bar.value}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** A mark on a line of time. */
interface TimelineMark {
  readonly id: string;
  readonly at: number;
  readonly title: string;
  readonly tone?: string;
}

/** The parts of a span of time, one on the other. */
interface ChartColumn {
  readonly at: number;
  readonly parts: readonly ChartBar[];
  /** The words of the column: its time and its numbers. */
  readonly title: string;
}

interface ColumnChartProps {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** Milliseconds of a column. */
  readonly step: number;
  readonly columns: readonly ChartColumn[];
  /** Marks on the same line of time, such as deploys. */
  readonly marks: readonly TimelineMark[];
  readonly ends: readonly [string, string];
  /** The unit of the values. */
  readonly unit?: string;
  /** The address for a column, by its end. */
  readonly linkOf: (to: number) => string;
}

const HEIGHT = 140;

/** Columns over time, with marks at their times. A table beside it says the same in words. */
export function ColumnChart({ label, from, to, step, columns, marks, ends, unit, linkOf }: ColumnChartProps) {
  const most = Math.max(1, ...columns.map(({ parts }) => sumOf(parts)));
  const placeOf = (at: number) => (1000 * (at - from)) / Math.max(1, to - from);
  const width = placeOf(from + step);
  return (
    <div class="columns">
      <div class="columns-most" aria-hidden="true">
        {most.toLocaleString('en')}
        {unit !== undefined && ` ${unit}`}
      </div>
      <svg viewBox={`0 0 1000 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {columns.map((column) => (
          <Column key={column.at} column={column} x={placeOf(column.at)} width={width} most={most} />
        ))}
      </svg>
      <div class="columns-links" aria-hidden="true">
        {columns.map(({ at, title }) => (
          <Link
            key={at}
            to={linkOf(at + step)}
            class="columns-link"
            tabIndex={-1}
            title={title}
            style={{ left: `${placeOf(at) / 10}%`, width: `${width / 10}%` }}
          />
        ))}
      </div>
      <div class="columns-marks">
        {marks.map(({ id, at, title, tone }) => (
          <span
            key={id}
            class={`timeline-mark ground-${tone ?? 'accent'}`}
            style={{ left: `${placeOf(at) / 10}%` }}
            title={title}
          />
        ))}
      </div>
      <div class="timeline-ends">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </div>
    </div>
  );
}

interface ColumnProps {
  readonly column: ChartColumn;
  readonly x: number;
  readonly width: number;
  readonly most: number;
}

function Column({ column, x, width, most }: ColumnProps) {
  let y = HEIGHT;
  return (
    <g>
      {column.parts.map((part) => {
        // A part that is there is seen, however small it is.
        const height = part.value === 0 ? 0 : Math.max(2, (HEIGHT * part.value) / most);
        y -= height;
        const tone = `tone-${part.tone ?? 'accent'}`;
        return <rect key={part.label} class={tone} x={x + width * 0.08} y={y} width={width * 0.84} height={height} />;
      })}
    </g>
  );
}

function sumOf(parts: readonly ChartBar[]): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}
