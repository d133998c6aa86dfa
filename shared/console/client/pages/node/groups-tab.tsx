import { followNode } from '../../data/answer-options.ts';
import { CLASS_SOURCES, type GroupSummary, type NodeClassification } from '../../data/group-shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState } from '../../parts/answer-view.tsx';
import { CodeBlock, showValue } from '../../parts/code-block.tsx';
import { DataTable, type TableColumn } from '../../parts/data-table.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PathText } from '../../parts/path-text.tsx';
import { ShownValue } from '../../parts/shown-value.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { Link } from '../../routing/link.tsx';
import { pathOf } from '../../routing/match-route.ts';

type CheckIn = NodeClassification['check_ins'][number];

/** A class, a variable or the environment of a node, with the ids of the groups that give it. */
interface GivenRow {
  readonly kind: string;
  readonly name: string;
  readonly value: unknown;
  readonly sources: readonly string[];
}

/** The groups of a node at its last check-in, and what it gets from each. */
export function GroupsTab({ certname }: { readonly certname: string }) {
  const answer = useAnswer<NodeClassification>(
    `/classifier-api/v1/nodes/${encodeURIComponent(certname)}`,
    followNode(certname),
  );
  const groups = useAnswer<readonly GroupSummary[]>('/classifier-api/v1/groups');
  const names = new Map((groups.data ?? []).map(({ id, name }) => [id, name]));
  return (
    <AnswerView answer={answer} what="the groups of the node" lines={8}>
      {({ check_ins: [last] }) =>
        last === undefined ? (
          <EmptyState title="The node has not asked yet.">
            Its groups are found when it asks for its catalog.
          </EmptyState>
        ) : (
          <div class="grid">
            <MatchedGroups checkIn={last} names={names} />
            <GivenPanel checkIn={last} names={names} />
          </div>
        )
      }
    </AnswerView>
  );
}

interface CheckInProps {
  readonly checkIn: CheckIn;
  /** Names of groups by id. */
  readonly names: ReadonlyMap<string, string>;
}

function MatchedGroups({ checkIn, names }: CheckInProps) {
  const { match_explanations: matches } = checkIn.explanation;
  return (
    <Panel title="Groups" actions={<RelativeTime at={checkIn.time} />} span={4}>
      <ul class="name-list">
        {Object.keys(matches).map((id) => (
          <li key={id}>
            <Link to={pathOf('groups', id)}>{names.get(id) ?? id}</Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function GivenPanel({ checkIn, names }: CheckInProps) {
  const { conflicts } = checkIn.explanation;
  if (conflicts !== undefined) {
    return (
      <Panel title="What the node gets" span={8}>
        <p class="notice notice-bad">The groups of the node disagree, so it gets nothing. Change one of them.</p>
        <CodeBlock text={showValue(conflicts)} label="What the groups disagree about" />
      </Panel>
    );
  }
  const columns: readonly TableColumn<GivenRow>[] = [
    { id: 'kind', title: 'Kind', show: ({ kind }) => kind },
    { id: 'name', title: 'Name', isWide: true, show: ({ name }) => <PathText text={name} /> },
    { id: 'value', title: 'Value', isWide: true, show: ({ value }) => <ShownValue value={value} /> },
    {
      id: 'sources',
      title: 'From the groups',
      isWide: true,
      show: ({ sources }) => sources.map((id) => names.get(id) ?? id).join(', '),
    },
  ];
  return (
    <Panel title="What the node gets" span={8}>
      <DataTable
        label="Classes, variables and environment"
        columns={columns}
        rows={listGiven(checkIn)}
        keyOf={({ kind, name }) => `${kind} ${name}`}
      />
    </Panel>
  );
}

function listGiven({ explanation }: CheckIn): readonly GivenRow[] {
  const { final_classification: final, classification_sources: from } = explanation;
  if (final === undefined) return [];
  const environment = { kind: 'Environment', name: 'environment', value: final.environment };
  return [
    { ...environment, sources: from.environment.sources },
    ...Object.entries(final.classes).map(([name, value]) => {
      return { kind: 'Class', name, value, sources: from.classes[name]?.[CLASS_SOURCES] ?? [] };
    }),
    ...Object.entries(final.variables).map(([name, value]) => {
      return { kind: 'Variable', name, value, sources: from.variables[name]?.sources ?? [] };
    }),
  ];
}
