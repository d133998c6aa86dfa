import type { DrawnEdge } from '../data/catalog-view.ts';

interface EdgeGraphProps {
  /** The reference of the resource in the middle. */
  readonly of: string;
  readonly edges: readonly DrawnEdge[];
  readonly onChoose: (ref: string) => void;
}

/** Maximum number of neighbours drawn on a side. */
const MOST_DRAWN = 40;
const ROW = 36;
const WORDS: Readonly<Record<DrawnEdge['kind'], readonly [string, string]>> = {
  contains: ['contains it', 'it contains'],
  before: ['comes before it', 'comes after it'],
  notifies: ['notifies it', 'is notified by it'],
};

/** A resource between those that have an edge to it and those that it has an edge to. */
export function EdgeGraph({ of, edges, onChoose }: EdgeGraphProps) {
  const incoming = edges.filter(({ target }) => target === of);
  const outgoing = edges.filter(({ source }) => source === of);
  const [left, right] = [incoming.slice(0, MOST_DRAWN), outgoing.slice(0, MOST_DRAWN)];
  const rows = Math.max(left.length, right.length, 1);
  const height = rows * ROW;
  if (left.length + right.length === 0) return <p class="muted">No edge leads to it or from it.</p>;
  return (
    <div>
      <div class="edge-graph">
        <Neighbours edges={left} side={0} refOfEdge={({ source }) => source} onChoose={onChoose} />
        <EdgeLines count={left.length} height={height} edges={left} isLeft />
        <div class="edge-middle">
          <span>{of}</span>
        </div>
        <EdgeLines count={right.length} height={height} edges={right} isLeft={false} />
        <Neighbours edges={right} side={1} refOfEdge={({ target }) => target} onChoose={onChoose} />
      </div>
      {(incoming.length > MOST_DRAWN || outgoing.length > MOST_DRAWN) && (
        <p class="muted">
          {incoming.length} lead to it and {outgoing.length} from it; {MOST_DRAWN} of each side are drawn.
        </p>
      )}
    </div>
  );
}

interface NeighboursProps {
  readonly edges: readonly DrawnEdge[];
  readonly side: 0 | 1;
  readonly refOfEdge: (edge: DrawnEdge) => string;
  readonly onChoose: (ref: string) => void;
}

function Neighbours({ edges, side, refOfEdge, onChoose }: NeighboursProps) {
  return (
    <ul class="edge-side">
      {edges.map((edge) => {
        const ref = refOfEdge(edge);
        return (
          <li key={`${edge.kind} ${ref}`}>
            <button type="button" class="ref-button" title={ref} onClick={() => onChoose(ref)}>
              {ref}
            </button>
            <span class="edge-kind">{WORDS[edge.kind][side]}</span>
          </li>
        );
      })}
    </ul>
  );
}

interface EdgeLinesProps {
  readonly count: number;
  readonly height: number;
  readonly edges: readonly DrawnEdge[];
  readonly isLeft: boolean;
}

/** Curves from the rows of a side to the middle. */
function EdgeLines({ count, height, edges, isLeft }: EdgeLinesProps) {
  const offset = (height - count * ROW) / 2;
  return (
    <svg class="edge-lines" viewBox={`0 0 48 ${height}`} height={height} aria-hidden="true">
      {edges.map(({ kind }, index) => {
        const y = offset + index * ROW + ROW / 2;
        const [from, to] = isLeft ? [y, height / 2] : [height / 2, y];
        return <path key={y} class={`edge edge-${kind}`} d={`M0 ${from} C24 ${from} 24 ${to} 48 ${to}`} />;
      })}
    </svg>
  );
}
