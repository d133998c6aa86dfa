import type { GroupHierarchy } from '../../fleet/groups/group-hierarchy.ts';
import type { ClassValues, NodeGroup } from '../../fleet/groups/node-group.ts';
import type { PreviewedNode } from '../../fleet/nodes/preview-groups.ts';
import { type ListColumn, type ListStyle, printList } from '../client/list-table.ts';

const LONGEST_RULE = 60;

interface GroupRow {
  readonly group: NodeGroup;
  readonly depth: number;
  /** Whether the rule is shown in full. */
  readonly isWhole: boolean;
}

/**
 * Prints all groups, as a tree unless the style has another order; in JSON as `toJson` gives them.
 * Rules are shortened unless the style is wide.
 */
export function printGroupTable(
  hierarchy: GroupHierarchy,
  style: ListStyle,
  toJson: (group: NodeGroup) => unknown,
): string {
  const rows: GroupRow[] = [];
  const visit = (group: NodeGroup, depth: number) => {
    rows.push({ group, depth: style.sort === undefined ? depth : 0, isWhole: style.wide === true });
    for (const child of hierarchy.childrenOf(group.id)) visit(child, depth + 1);
  };
  visit(hierarchy.root, 0);
  return printList(rows, GROUP_COLUMNS, style, ({ group }) => toJson(group));
}

/** The columns of a list of groups. */
export const GROUP_COLUMNS: readonly ListColumn<GroupRow>[] = [
  { name: 'group', value: ({ group, depth }) => `${'  '.repeat(depth)}${group.name}` },
  {
    name: 'environment',
    value: ({ group }) => `${group.environment}${group.environmentTrumps ? ' (trumps)' : ''}`,
  },
  { name: 'id', kind: 'id', value: ({ group }) => group.id },
  { name: 'edited', kind: 'time', value: ({ group }) => group.lastEdited || null },
  { name: 'classes', isWide: true, value: ({ group }) => Object.keys(group.classes) },
  {
    name: 'rule',
    value: ({ group: { rule }, isWhole }) =>
      rule === null ? null : isWhole ? JSON.stringify(rule) : shorten(JSON.stringify(rule)),
  },
];

/** Prints one group with its nodes. */
export function printGroupText(group: NodeGroup, hierarchy: GroupHierarchy, nodes: readonly string[]): string {
  const { name, id, description, environment, environmentTrumps, rule, serialNumber, lastEdited } = group;
  const above = hierarchy.ancestorsOf(group).map((one) => one.name);
  const lines: readonly (readonly [string, string])[] = [
    ['Group', name],
    ['ID', id],
    ...(description === null ? [] : [['Description', description] as const]),
    ['Below', above.length === 0 ? '-' : above.join(' < ')],
    ['Environment', `${environment}${environmentTrumps ? ' (trumps)' : ''}`],
    ['Rule', JSON.stringify(rule)],
    ['With inherited', JSON.stringify(hierarchy.inheritedRuleOf(group))],
    ['Serial number', `${serialNumber}, ${lastEdited === 0 ? 'never edited' : new Date(lastEdited).toISOString()}`],
    ...classLines('Class', group.classes),
    ...Object.entries(group.variables).map(
      ([key, value]) => ['Variable', `${key} = ${JSON.stringify(value)}`] as const,
    ),
    ...classLines('Config data', group.configData),
    ['Nodes', nodes.length === 0 ? '-' : nodes.join(' ')],
  ];
  return lines.map(([label, text]) => `${`${label}:`.padEnd(16)}${text}\n`).join('');
}

function classLines(label: string, classes: ClassValues): readonly (readonly [string, string])[] {
  return Object.entries(classes).map(([name, parameters]) => {
    const isEmpty = Object.keys(parameters).length === 0;
    return [label, isEmpty ? name : `${name} ${JSON.stringify(parameters)}`] as const;
  });
}

/** Prints what a change of groups does to each node. */
export function describePreviewedNodes(changes: readonly PreviewedNode[]): string {
  const blocks = changes.map(({ certname, isPushed, joins, leaves, values }) => {
    const pushed = isPushed ? ' (classified by the operator: its catalog stays as it is)' : '';
    const groups = [...joins.map((name) => `  + group ${name}\n`), ...leaves.map((name) => `  - group ${name}\n`)];
    const lines = values.map(({ name, before, after }) => `  ${name}: ${show(before)} -> ${show(after)}\n`);
    return `${certname}${pushed}\n${groups.join('')}${lines.join('')}`;
  });
  return `${blocks.join('')}nodes that would change: ${changes.length}\n`;
}

function show(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length > LONGEST_RULE ? `${text.slice(0, LONGEST_RULE)}...` : text;
}
