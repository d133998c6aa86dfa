import { useParameters } from '../routing/location.ts';

interface PagerProps {
  /** The number of rows of this page. */
  readonly shown: number;
  readonly total: number | null;
  /** Rows before this page. */
  readonly offset: number;
  readonly pageSize: number;
  /** Whether there are rows after this page; by default from `total`. */
  readonly hasNext?: boolean;
  readonly onPage?: (step: 1 | -1) => void;
}

/** Says which rows are shown, of how many, and leads to the page before and the next. */
export function Pager({ shown, total, offset, pageSize, hasNext, onPage }: PagerProps) {
  const [, setParameters] = useParameters();
  const page = Math.floor(offset / pageSize) + 1;
  const isMore = hasNext ?? (total !== null ? offset + shown < total : shown === pageSize);
  const go = onPage ?? ((step: 1 | -1) => setParameters({ page: page + step <= 1 ? null : String(page + step) }));
  const range = shown === 0 ? 'None' : `${(offset + 1).toLocaleString('en')}–${(offset + shown).toLocaleString('en')}`;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="pager-range" role="status">
        {range}
        {total !== null && ` of ${total.toLocaleString('en')}`}
      </span>
      {(page > 1 || isMore) && (
        <>
          <button type="button" class="button" aria-disabled={page <= 1} onClick={() => page > 1 && go(-1)}>
            Previous
          </button>
          <button type="button" class="button" aria-disabled={!isMore} onClick={() => isMore && go(1)}>
            Next
          </button>
        </>
      )}
    </nav>
  );
}

/** The page that the address names, from one. */
export function readPageNumber(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '1');
  return Number.isInteger(page) && page > 0 ? page : 1;
}
