import { useEffect, useMemo } from 'preact/hooks';
import type { ApiFault } from '../../data/api-fault.ts';
import { type QueryFault, readQueryFault } from '../../data/query/query-fault.ts';
import { listGroupColumns } from '../../data/query/query-groups.ts';
import {
  addressOfRows,
  addressOfTree,
  listColumns,
  MOST_ROWS,
  type QueryRow,
  sortedValue,
  writeCsv,
} from '../../data/query/query-rows.ts';
import { type AnswerState, useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { NodeLink } from '../../parts/certname.tsx';
import { DataTable, sortRows, type TableColumn } from '../../parts/data-table.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { Panel } from '../../parts/panel.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { ChoiceBox } from '../../parts/search-box.tsx';
import { ShownValue } from '../../parts/shown-value.tsx';
import { useParameters } from '../../routing/location.ts';
import { QueryChart } from './query-chart.tsx';

const PAGE_SIZE = 50;
/** Columns that a table shows; CSV has all. */
const MOST_COLUMNS = 12;

interface QueryResultProps {
  readonly pql: string;
  /** Called with what is wrong with the query; null when nothing is. */
  readonly onFault: (fault: QueryFault | null) => void;
}

/** The rows of a query. */
export function QueryResult({ pql, onFault }: QueryResultProps) {
  const tree = useAnswer<unknown>(addressOfTree(pql));
  const rows = useAnswer<readonly QueryRow[]>(tree.data === null ? null : addressOfRows(pql, tree.data));
  const refused = isRefusal(tree.fault) ? tree.fault : isRefusal(rows.fault) ? rows.fault : null;
  const fault = useMemo(() => refused && readQueryFault(refused.message, pql), [refused, pql]);
  useEffect(() => onFault(fault), [fault, onFault]);
  if (fault !== null) return null;
  const answer: AnswerState<unknown> = tree.data === null ? tree : rows;
  if (answer.fault?.kind === 'not-found') {
    return (
      <div class="span-12">
        <EmptyState title="There is no inventory here.">{answer.fault.message}</EmptyState>
      </div>
    );
  }
  if (tree.data === null) {
    return (
      <Panel title="Rows">
        <AnswerView answer={tree} what="the rows" lines={10}>
          {() => null}
        </AnswerView>
      </Panel>
    );
  }
  return <RowsPanel tree={tree.data} rows={rows} />;
}

/** Whether the query is wrong, rather than the inventory away. */
function isRefusal(fault: ApiFault | null): fault is ApiFault {
  return fault !== null && (fault.kind === 'refused' || fault.kind === 'broken') && fault.status !== null;
}

interface RowsPanelProps {
  readonly tree: unknown;
  readonly rows: AnswerState<readonly QueryRow[]>;
}

function RowsPanel({ tree, rows: answer }: RowsPanelProps) {
  const [parameters] = useParameters();
  const sort = parameters.get('sort');
  const hasMore = (answer.data?.length ?? 0) > MOST_ROWS;
  const rows = useMemo(
    () => sortRows((answer.data ?? []).slice(0, MOST_ROWS), sort, (row, id) => sortedValue(row[id])),
    [answer.data, sort],
  );
  const columns = useMemo(() => listColumns(rows), [rows]);
  const groupColumns = useMemo(() => listGroupColumns(columns, rows), [columns, rows]);
  const by = groupColumns.find((name) => name === parameters.get('by')) ?? null;
  return (
    <Panel
      title="Rows"
      actions={
        rows.length > 0 && (
          <button
            type="button"
            class="button button-small"
            onClick={() => saveFile('query.csv', 'text/csv', writeCsv(columns, rows))}
          >
            Save as CSV
          </button>
        )
      }
    >
      <AnswerView answer={answer} what="the rows" lines={10}>
        {() =>
          rows.length === 0 ? (
            <EmptyState title="The query finds nothing." />
          ) : (
            <>
              <div class="filters">
                <ChoiceBox
                  label="Show"
                  name="by"
                  options={[['', 'Table'], ...groupColumns.map((name) => [name, `Chart by ${name}`] as const)]}
                />
              </div>
              {by === null ? (
                <RowTable rows={rows} columns={columns} hasMore={hasMore} />
              ) : (
                <QueryChart tree={tree} rows={rows} column={by} hasMore={hasMore} />
              )}
            </>
          )
        }
      </AnswerView>
    </Panel>
  );
}

interface RowTableProps {
  readonly rows: readonly QueryRow[];
  readonly columns: readonly string[];
  readonly hasMore: boolean;
}

function RowTable({ rows, columns, hasMore }: RowTableProps) {
  const [parameters] = useParameters();
  const offset = (readPageNumber(parameters) - 1) * PAGE_SIZE;
  const shown = rows.slice(offset, offset + PAGE_SIZE);
  const hidden = columns.length - MOST_COLUMNS;
  return (
    <>
      <p class="query-count muted" role="status">
        {hasMore
          ? `The first ${MOST_ROWS.toLocaleString('en')} rows; there are more. Narrow the query, or ask on the command line for all.`
          : rows.length === 1
            ? '1 row'
            : `${rows.length.toLocaleString('en')} rows`}
        {hidden > 0 && ` ${hidden} more columns are in the CSV.`}
      </p>
      <DataTable
        label="Rows of the query"
        columns={columns.slice(0, MOST_COLUMNS).map(makeColumn)}
        rows={shown.map((row, index) => ({ row, key: String(offset + index) }))}
        keyOf={({ key }) => key}
      />
      {rows.length > PAGE_SIZE && (
        <Pager shown={shown.length} total={rows.length} offset={offset} pageSize={PAGE_SIZE} />
      )}
    </>
  );
}

function makeColumn(name: string): TableColumn<{ readonly row: QueryRow; readonly key: string }> {
  return {
    id: name,
    title: name,
    isSortable: true,
    show: ({ row }) => {
      const value = row[name];
      if (value === null || value === undefined) return '';
      if (name === 'certname' && typeof value === 'string') return <NodeLink certname={value} />;
      return <ShownValue value={value} />;
    },
  };
}
