import { readPageNumber } from '../../parts/pager.tsx';

interface PageRequest {
  /** Rows before the page. */
  readonly offset: number;
  /** The parameters of the orchestrator's lists. */
  readonly wanted: URLSearchParams;
}

/** The page and the order that the address names, as the orchestrator's lists take them. */
export function readPageRequest(query: URLSearchParams, usualSort: string, pageSize: number): PageRequest {
  const sort = query.get('sort') ?? usualSort;
  const offset = (readPageNumber(query) - 1) * pageSize;
  const wanted = new URLSearchParams({
    limit: String(pageSize),
    offset: String(offset),
    order_by: sort.replace(/^-/, ''),
    order: sort.startsWith('-') ? 'desc' : 'asc',
  });
  return { offset, wanted };
}
