import {
  addressOfGroups,
  countByColumn,
  MOST_GROUPS,
  type RowGroup,
  readGroups,
} from '../../data/query/query-groups.ts';
import type { QueryRow } from '../../data/query/query-rows.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';

interface QueryChartProps {
  readonly tree: unknown;
  readonly rows: readonly QueryRow[];
  readonly column: string;
  /** Whether the query finds more than these rows. */
  readonly hasMore: boolean;
}

const MOST_BARS = 50;

/**
 * The rows of a query by the values of a column. The inventory counts where not all rows are here,
 * as far as it can.
 */
export function QueryChart({ tree, rows, column, hasMore }: QueryChartProps) {
  const address = hasMore ? addressOfGroups(tree, column) : null;
  const answer = useAnswer<readonly QueryRow[]>(address);
  if (address === null) {
    return (
      <Bars
        column={column}
        groups={countByColumn(column, rows)}
        counted={hasMore ? rows.length : null}
        hasMoreGroups={false}
      />
    );
  }
  return (
    <AnswerView answer={answer} what="the numbers" lines={10}>
      {(counted) => (
        <Bars
          column={column}
          groups={readGroups(column, counted.slice(0, MOST_GROUPS))}
          counted={null}
          hasMoreGroups={counted.length > MOST_GROUPS}
        />
      )}
    </AnswerView>
  );
}

interface BarsProps {
  readonly column: string;
  readonly groups: readonly RowGroup[];
  /** The number of rows that were counted; null for all. */
  readonly counted: number | null;
  readonly hasMoreGroups: boolean;
}

function Bars({ column, groups, counted, hasMoreGroups }: BarsProps) {
  if (groups.length === 0) return <EmptyState title="There is nothing to count." />;
  const counts = groups.map(({ count }) => count);
  const most = Math.max(1, ...counts);
  const total = Math.max(
    1,
    counts.reduce((sum, count) => sum + count, 0),
  );
  const hidden = groups.length - MOST_BARS;
  return (
    <>
      <DataTable
        label={`Rows by ${column}`}
        columns={columnsOf(column, most, total)}
        rows={groups.slice(0, MOST_BARS)}
        keyOf={({ label }) => label}
      />
      <p class="table-foot muted" role="status">
        {hasMoreGroups
          ? `There are more than ${MOST_GROUPS.toLocaleString('en')} values: these are some of them.`
          : `${groups.length.toLocaleString('en')} ${groups.length === 1 ? 'value' : 'values'}.`}
        {hidden > 0 && !hasMoreGroups && ` The ${MOST_BARS} commonest are shown.`}
        {counted !== null && ` Only the first ${counted.toLocaleString('en')} rows are counted.`}
      </p>
    </>
  );
}

function columnsOf(column: string, most: number, total: number): readonly TableColumn<RowGroup>[] {
  return [
    { id: 'value', title: column, isWide: true, show: ({ label }) => <code>{label}</code> },
    {
      id: 'chart',
      title: 'Share',
      isWide: true,
      show: ({ count }) => (
        <span class="share">
          <span class="bar-track" aria-hidden="true">
            <span class="bar ground-accent" style={{ width: `${(100 * count) / most}%` }} />
          </span>
          <span class="bar-value">{`${((100 * count) / total).toFixed(1)} %`}</span>
        </span>
      ),
    },
    { id: 'rows', title: 'Rows', isNumeric: true, show: ({ count }) => count.toLocaleString('en') },
  ];
}
