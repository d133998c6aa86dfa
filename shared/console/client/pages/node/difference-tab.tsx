import { followNode } from '../../data/answer-options.ts';
import { compareCatalogs, type ResourceDifference } from '../../data/catalog-view.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Pager, readPageNumber } from '../../parts/pager.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { ChangedValue } from '../../parts/shown-value.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useParameters } from '../../routing/location.ts';

const PAGE_SIZE = 50;

const COLUMNS: readonly TableColumn<ResourceDifference>[] = [
  { id: 'kind', title: 'Kind', show: ({ kind }) => <StateBadge state={kind} /> },
  { id: 'ref', title: 'Resource', isWide: true, show: ({ ref }) => <code>{ref}</code> },
  { id: 'parameters', title: 'Parameters', isWide: true, show: (one) => <ChangedParameters difference={one} /> },
];

/** Changes of the catalog by the last compile. */
export function DifferenceTab({ certname }: { readonly certname: string }) {
  const [query] = useParameters();
  const base = `/understudy/v1/nodes/${encodeURIComponent(certname)}/catalog` as const;
  const after = useAnswer(base, followNode(certname));
  const before = useAnswer(`${base}/previous`, followNode(certname));
  if (before.fault?.kind === 'not-found' && before.data === null) {
    return (
      <EmptyState title="There is no earlier catalog.">
        The difference shows here after the next compile that changes the catalog.
      </EmptyState>
    );
  }
  return (
    <>
      <div class="filters">
        <SearchBox label="Find a resource" name="find" placeholder="Service[ntp]" />
      </div>
      <AnswerView answer={after} what="the catalog" lines={8}>
        {(newer) => (
          <AnswerView answer={before} what="the previous catalog" lines={8}>
            {(older) => <DifferenceTable differences={compareCatalogs(older, newer)} query={query} />}
          </AnswerView>
        )}
      </AnswerView>
    </>
  );
}

interface DifferenceTableProps {
  readonly differences: readonly ResourceDifference[];
  readonly query: URLSearchParams;
}

function DifferenceTable({ differences, query }: DifferenceTableProps) {
  const wanted = (query.get('find') ?? '').toLowerCase();
  const found = differences.filter(({ ref }) => ref.toLowerCase().includes(wanted));
  const offset = (readPageNumber(query) - 1) * PAGE_SIZE;
  const rows = found.slice(offset, offset + PAGE_SIZE);
  if (differences.length === 0) return <EmptyState title="Both catalogs have the same resources and parameters." />;
  if (found.length === 0) return <EmptyState title="No resource matches." />;
  return (
    <>
      <DataTable label="Difference to the previous catalog" columns={COLUMNS} rows={rows} keyOf={({ ref }) => ref} />
      <Pager shown={rows.length} total={found.length} offset={offset} pageSize={PAGE_SIZE} />
    </>
  );
}

function ChangedParameters({ difference }: { readonly difference: ResourceDifference }) {
  return (
    <div class="changes">
      {difference.parameters.map(({ name, from, to }) => (
        <ChangedValue key={name} name={name} from={from} to={to} />
      ))}
    </div>
  );
}
