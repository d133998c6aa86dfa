import { usePermission } from '../data/session.ts';
import { useAnswer } from '../data/use-answer.ts';
import { AnswerView, EmptyState } from '../parts/answer-view.tsx';
import { NodeLink } from '../parts/certname.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Pager, readPageNumber } from '../parts/pager.tsx';
import { ShownValue } from '../parts/shown-value.tsx';
import { useParameters } from '../routing/location.ts';

type QueryRow = Readonly<Record<string, unknown>>;

const PAGE_SIZE = 50;
/** Maximum number of columns shown. */
const MOST_COLUMNS = 8;

/** The rows of a PQL query, page by page. A certname leads to its node. */
export function QueryTable({ pql }: { readonly pql: string }) {
  const [query] = useParameters();
  const mayQuery = usePermission('nodes', 'view_data');
  const offset = (readPageNumber(query) - 1) * PAGE_SIZE;
  const wanted = new URLSearchParams({
    query: pql,
    limit: String(PAGE_SIZE),
    offset: String(offset),
    include_total: 'true',
  });
  const answer = useAnswer<readonly QueryRow[]>(mayQuery ? `/pdb/query/v4?${wanted}` : null);
  if (!mayQuery) return <EmptyState title="You may not query the inventory." />;
  return (
    <AnswerView answer={answer} what="the rows" lines={16}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title="The query finds nothing." />
        ) : (
          <>
            <DataTable
              label="Rows of the query"
              columns={columnsOf(rows)}
              rows={rows.map((row, index) => ({ row, key: String(offset + index) }))}
              keyOf={({ key }) => key}
            />
            <Pager shown={rows.length} total={answer.total} offset={offset} pageSize={PAGE_SIZE} />
          </>
        )
      }
    </AnswerView>
  );
}

/** A column for each member of the rows, `certname` first. */
function columnsOf(
  rows: readonly QueryRow[],
): readonly TableColumn<{ readonly row: QueryRow; readonly key: string }>[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== 'certname');
  const ordered = rows.some((row) => 'certname' in row) ? ['certname', ...names] : names;
  return ordered.slice(0, MOST_COLUMNS).map((name) => ({
    id: name,
    title: name,
    show: ({ row }) => {
      const value = row[name];
      if (value === null || value === undefined) return '';
      if (name !== 'certname' || typeof value !== 'string') return <ShownValue value={value} />;
      return <NodeLink certname={value} />;
    },
  }));
}
