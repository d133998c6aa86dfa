import { type GroupSummary, TOP_GROUP } from '../../data/group-shapes.ts';
import { usePermission } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { AnswerView, EmptyState, Skeleton } from '../../parts/answer-view.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Tree, type TreeItem } from '../../parts/tree.tsx';
import { Link } from '../../routing/link.tsx';
import { usePageLocation } from '../../routing/location.ts';
import { pathOf } from '../../routing/match-route.ts';
import { GroupEditor } from './group-editor.tsx';

interface GroupsPageProps {
  /** The id of the chosen group, `new`, or empty. */
  readonly chosen: string;
}

/** The tree of node groups, and the chosen one. */
export function GroupsPage({ chosen }: GroupsPageProps) {
  const { query } = usePageLocation();
  const mayCreate = usePermission('node_groups', 'modify_children');
  const answer = useAnswer<readonly GroupSummary[]>('/classifier-api/v1/groups');
  const parent = query.get('parent') ?? TOP_GROUP;
  return (
    <>
      <PageHead
        title="Groups"
        lead="Which classes, variables and environment nodes have"
        actions={
          mayCreate && (
            <Link
              to={`/groups/new?parent=${encodeURIComponent(chosen === '' || chosen === 'new' ? parent : chosen)}`}
              class="button button-primary"
            >
              New group
            </Link>
          )
        }
      />
      <AnswerView answer={answer} what="the groups" lines={12}>
        {(groups) => (
          <div class="grid groups">
            <Panel title="Tree" span={4}>
              <SearchBox label="Find a group" name="find" placeholder="Web" />
              <GroupTree groups={groups} chosen={chosen} wanted={(query.get('find') ?? '').toLowerCase()} />
            </Panel>
            <div class="span-8">
              <ChosenGroup
                groups={groups}
                chosen={chosen}
                parent={parent}
                isReading={answer.isLoading}
                onChanged={answer.reload}
              />
            </div>
          </div>
        )}
      </AnswerView>
    </>
  );
}

interface ChosenGroupProps extends GroupsPageProps {
  readonly groups: readonly GroupSummary[];
  readonly parent: string;
  /** Whether the groups are being read again: one that was just created is not among these. */
  readonly isReading: boolean;
  readonly onChanged: () => void;
}

function ChosenGroup({ groups, chosen, parent, isReading, onChanged }: ChosenGroupProps) {
  if (chosen === '') {
    return (
      <Panel title="Group">
        <EmptyState title="Choose a group.">Its rule, classes and variables show here.</EmptyState>
      </Panel>
    );
  }
  const group = groups.find(({ id }) => id === chosen) ?? null;
  if (group === null && isReading && chosen !== 'new') return <Skeleton lines={12} what="the group" />;
  if (group === null && chosen !== 'new') {
    return (
      <Panel title="Group">
        <EmptyState title="This group is gone.">
          <Link to="/groups">Choose another one</Link>
        </EmptyState>
      </Panel>
    );
  }
  return <GroupEditor key={chosen} group={group} groups={groups} parent={parent} onChanged={onChanged} />;
}

interface GroupTreeProps {
  readonly groups: readonly GroupSummary[];
  readonly chosen: string;
  readonly wanted: string;
}

function GroupTree({ groups, chosen, wanted }: GroupTreeProps) {
  const label = (group: GroupSummary) => (
    <Link to={pathOf('groups', group.id)} aria-current={group.id === chosen ? 'page' : undefined} class="tree-link">
      {group.name}
    </Link>
  );
  if (wanted !== '') {
    const found = groups.filter(({ name }) => name.toLowerCase().includes(wanted));
    if (found.length === 0) return <EmptyState title="No group matches." />;
    return <Tree items={found.map((group) => ({ key: group.id, label: label(group), children: null }))} />;
  }
  const below = Map.groupBy(
    groups.filter(({ id, parent }) => id !== parent),
    ({ parent }) => parent,
  );
  const known = new Set(groups.map(({ id }) => id));
  const toItem = (group: GroupSummary): TreeItem => {
    const children = below.get(group.id) ?? [];
    return {
      key: group.name,
      label: label(group),
      isControl: true,
      children: children.length === 0 ? null : () => children.toSorted(byName).map(toItem),
    };
  };
  // A group whose parent may not be seen stands at the top.
  const roots = groups.filter(({ id, parent }) => id === parent || !known.has(parent));
  return <Tree items={roots.toSorted(byName).map(toItem)} isOpen />;
}

function byName(a: GroupSummary, b: GroupSummary): number {
  return a.name.localeCompare(b.name, 'en', { numeric: true });
}
