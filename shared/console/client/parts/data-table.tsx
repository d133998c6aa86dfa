import type { ComponentChildren } from 'preact';
import { useParameters } from '../routing/location.ts';
import { ScrollArea } from './scroll-area.tsx';

export interface TableColumn<Row> {
  readonly id: string;
  readonly title: string;
  readonly show: (row: Row) => ComponentChildren;
  /** Whether the rows can be sorted by it. */
  readonly isSortable?: boolean;
  /** Whether it holds numbers, which stand right. */
  readonly isNumeric?: boolean;
  /** Whether the column takes the room that is left, and breaks long words. */
  readonly isWide?: boolean;
}

interface DataTableProps<Row> {
  /** Caption of the table, for assistive technology. */
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Names of the parameters for sorting, so that two tables of a page do not share them. */
  readonly sortName?: string;
  readonly defaultSort?: string;
  readonly selection?: { readonly chosen: ReadonlySet<string>; readonly onToggle: (key: string) => void };
}

/**
 * A table. Sorting is in the address, as `sort=id` or `sort=-id`; whoever reads the rows asks the
 * server for that order, or sorts them by `sortRows`.
 */
export function DataTable<Row>({ label, columns, rows, keyOf, selection, ...sorting }: DataTableProps<Row>) {
  return (
    <ScrollArea class="table-scroll" label={label}>
      <table class="table">
        <thead>
          <tr>
            {selection !== undefined && (
              <th scope="col" class="cell-check">
                <span class="visually-hidden">Chosen</span>
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} {...sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row);
            return (
              <tr key={key} class={selection?.chosen.has(key) ? 'is-chosen' : undefined}>
                {selection !== undefined && (
                  <td class="cell-check">
                    <input
                      type="checkbox"
                      aria-label={`Choose ${key}`}
                      checked={selection.chosen.has(key)}
                      onChange={() => selection.onToggle(key)}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column.id} class={cellClass(column)} data-label={column.title}>
                    {wrapCell(column.show(row))}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}

/** On narrow screens a cell is a grid of its label and one element. */
function wrapCell(content: ComponentChildren): ComponentChildren {
  return content === '' || content === null || content === undefined ? null : <div>{content}</div>;
}

function cellClass<Row>({ isNumeric, isWide }: TableColumn<Row>): string | undefined {
  return isNumeric === true ? 'cell-number' : isWide === true ? 'cell-wide' : undefined;
}

interface HeadCellProps<Row> {
  readonly column: TableColumn<Row>;
  readonly sortName?: string;
  readonly defaultSort?: string;
}

function HeadCell<Row>({ column, sortName = 'sort', defaultSort = '' }: HeadCellProps<Row>) {
  const [query, setParameters] = useParameters();
  if (column.isSortable !== true) {
    return (
      <th scope="col" class={cellClass(column)}>
        {column.title}
      </th>
    );
  }
  const sort = query.get(sortName) ?? defaultSort;
  const isAscending = sort === column.id;
  const isDescending = sort === `-${column.id}`;
  const direction = isAscending ? 'ascending' : isDescending ? 'descending' : 'none';
  return (
    <th scope="col" class={cellClass(column)} aria-sort={direction}>
      <button
        type="button"
        class="sort-button"
        onClick={() => setParameters({ [sortName]: isAscending ? `-${column.id}` : column.id })}
      >
        {column.title}
        <span aria-hidden="true" class="sort-mark">
          {isAscending ? '▲' : isDescending ? '▼' : ''}
        </span>
      </button>
    </th>
  );
}

/** Sorts rows by `sort`, as `id` or `-id`. Texts with numbers sort by their numbers. */
export function sortRows<Row>(
  rows: readonly Row[],
  sort: string | null,
  readValue: (row: Row, id: string) => string | number | null | undefined,
): readonly Row[] {
  if (sort === null || sort === '') return rows;
  const id = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((a, b) => sign * compareValues(readValue(a, id) ?? '', readValue(b, id) ?? ''));
}

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}
