import type { DifferenceGroup, PreviewDifference } from '../data/code-shapes.ts';
import { Certname } from '../parts/certname.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Panel } from '../parts/panel.tsx';
import { PathText } from '../parts/path-text.tsx';
import { ChangedValue } from '../parts/shown-value.tsx';
import { StateBadge } from '../parts/state-badge.tsx';

/** Maximum numbers of groups shown, and of differences of each. */
const MOST_GROUPS = 50;
const MOST_SHOWN = 100;
const MOST_NAMES = 5;

interface GroupProps {
  readonly group: DifferenceGroup;
}

/** Nodes whose catalogs differ by the same causes, the largest group first. */
export function DifferenceGroups({ groups }: { readonly groups: readonly DifferenceGroup[] }) {
  return (
    <>
      {groups.slice(0, MOST_GROUPS).map((group, index) => (
        <GroupPanel key={`${index} ${group.nodes[0]}`} group={group} />
      ))}
      {groups.length > MOST_GROUPS && (
        <p class="muted">and {(groups.length - MOST_GROUPS).toLocaleString('en')} more groups</p>
      )}
    </>
  );
}

function GroupPanel({ group }: GroupProps) {
  const { nodes, count, differences } = group;
  const title = count === 1 ? '1 node' : `${count.toLocaleString('en')} nodes`;
  const names = nodes.slice(0, MOST_NAMES);
  return (
    <Panel
      title={title}
      actions={
        <span class="muted group-names">
          {names.map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <Certname name={name} />
            </span>
          ))}
          {count > MOST_NAMES && ' …'}
        </span>
      }
    >
      <CatalogChangeTable label={`Differences of ${names.join(', ')}`} differences={differences.slice(0, MOST_SHOWN)} />
      {differences.length > MOST_SHOWN && <p class="muted">{differences.length - MOST_SHOWN} more are not shown.</p>}
    </Panel>
  );
}

interface CatalogChangeTableProps {
  readonly label: string;
  readonly differences: readonly PreviewDifference[];
}

/** The differences of two catalogs, a row for each parameter. */
export function CatalogChangeTable({ label, differences }: CatalogChangeTableProps) {
  return (
    <DataTable
      label={label}
      columns={DIFFERENCE_COLUMNS}
      rows={differences}
      keyOf={({ kind, resource, parameter }) => `${kind} ${resource} ${parameter ?? ''}`}
    />
  );
}

const DIFFERENCE_COLUMNS: readonly TableColumn<PreviewDifference>[] = [
  { id: 'kind', title: 'Kind', show: ({ kind }) => <StateBadge state={kind} /> },
  { id: 'resource', title: 'Resource', isWide: true, show: ({ resource }) => <PathText text={resource} /> },
  {
    id: 'parameter',
    title: 'Change',
    isWide: true,
    show: ({ parameter, from, to }) =>
      parameter === undefined ? '' : <ChangedValue name={parameter} from={from} to={to} />,
  },
];
