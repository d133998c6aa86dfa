/** A bar of a histogram, or a part of a stacked bar. */
interface ChartBar {
  readonly label: string;
  readonly value: number;
  /** The name of a colour of the design, as `good`. */
  readonly tone?: string;
}

interface HistogramProps {
  readonly label: string;
  readonly bars: readonly ChartBar[];
}

/** Bars with their words below and their counts above. */
export function Histogram({ label, bars }: HistogramProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const spoken = bars.map((bar) => `${bar.label}: ${bar.value}`).join(', ');
  return (
    <div class="histogram" role="img" aria-label={`${label}. ${spoken}`}>
      {bars.map((bar) => (
        <div key={bar.label} class="histogram-bar">
          <span class="histogram-value">{bar.value.toLocaleString('en')}</span>
          <span
            class={`histogram-fill ground-${bar.tone ?? 'accent'}`}
            style={{ height: `calc((100% - 44px) * ${bar.value / most})`, minHeight: bar.value === 0 ? '0' : '2px' }}
          />
          <span class="histogram-label">{bar.label}</span>
        </div>
      ))}
    </div>
  );
}

/** One bar, its parts in proportion, each at least visible. */
export function StackedBar({ label, bars }: HistogramProps) {
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

interface TimelineMark {
  readonly id: string;
  readonly at: number;
  readonly title: string;
  readonly tone?: string;
}

interface TimelineProps {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly marks: readonly TimelineMark[];
  /** The words at both ends. */
  readonly ends: readonly [string, string];
}

/** Marks at their times on a line. */
export function Timeline({ label, from, to, marks, ends }: TimelineProps) {
  const spoken = marks.map(({ title }) => title).join(', ');
  const placeOf = (at: number) => (100 * Math.min(Math.max(at - from, 0), to - from)) / Math.max(1, to - from);
  return (
    <div class="timeline" role="img" aria-label={`${label}. ${spoken}`}>
      <div class="timeline-line">
        {marks.map(({ id, at, title, tone }) => (
          <span
            key={id}
            class={`timeline-mark ground-${tone ?? 'accent'}`}
            style={{ left: `${placeOf(at)}%` }}
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
