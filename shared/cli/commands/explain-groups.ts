import { loadFacts } from '../../fleet/facts/facts-blob.ts';
import { classifyByGroups } from '../../fleet/groups/classify-by-groups.ts';
import type { GroupHierarchy } from '../../fleet/groups/group-hierarchy.ts';
import { valuesOf } from '../../fleet/groups/match-rule.ts';
import { classificationByGroups } from '../../fleet/groups/node-grouping.ts';
import { describeConflicts, printExplanation } from '../../fleet/groups/print-classification.ts';
import { printJson } from '../../puppet/serialization/json.ts';
import type { Classification } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';

/** The source of a node's classification. */
type ClassificationSource = 'pushed' | 'node groups' | 'external classifier' | 'agent';

interface ExplainedGroups {
  readonly certname: string;
  readonly source: ClassificationSource;
  /** That source's classification; null for the agent's own environment. */
  readonly classification: Classification | null;
  /** The groups that match, those far below the root first, with their rules. */
  readonly groups: readonly {
    readonly name: string;
    readonly id: string;
    readonly isLeaf: boolean;
    readonly rule: unknown;
  }[];
  readonly conflicts: readonly string[];
  /** As the classifier's API explains it. */
  readonly explanation: Readonly<Record<string, unknown>>;
}

/**
 * Explains the classification of a node by its record, its last facts, and the groups in force.
 * Null for a node that is not known.
 */
export async function explainGroups(
  certname: string,
  hierarchy: GroupHierarchy,
  { nodes, blobs }: Pick<Stores, 'nodes' | 'blobs'>,
): Promise<ExplainedGroups | null> {
  const node = await nodes.get(certname);
  if (node === null) return null;
  const stored = await loadFacts(blobs, node);
  const plain = (hash: Parameters<typeof printJson>[0] | undefined) =>
    hash === undefined ? {} : JSON.parse(printJson(hash));
  const subject = { name: certname, fact: plain(stored?.facts), trusted: plain(stored?.trusted) };
  const read = valuesOf(subject);
  const byGroups = classificationByGroups(certname, hierarchy, read);
  const classified = classifyByGroups(hierarchy, read);
  const sources: readonly (readonly [ClassificationSource, Classification | null])[] = [
    ['pushed', node.classification],
    ['node groups', byGroups],
    ['external classifier', node.external],
  ];
  const [source, classification] = sources.find(([, one]) => one !== null) ?? ['agent', null];
  const leaves = new Set(classified.leaves.map(({ group }) => group.id));
  return {
    certname,
    source,
    classification,
    groups: classified.matching.map(({ id, name, rule }) => ({ id, name, rule, isLeaf: leaves.has(id) })),
    conflicts: classified.conflicts === null ? [] : describeConflicts(classified.conflicts),
    explanation: printExplanation(subject, classified, hierarchy),
  };
}

/** Prints an explanation for people. */
export function printExplainedGroups(explained: ExplainedGroups): string {
  const { certname, source, classification, groups, conflicts } = explained;
  const environment = classification?.environment ?? 'that of the agent';
  const classes = classification === null ? [] : listClasses(classification.classes);
  const variables = Object.entries(classification?.parameters ?? {});
  return [
    `${certname} is classified by: ${source}`,
    `environment: ${environment}`,
    ...classes.map((text) => `class ${text}`),
    ...variables.map(([name, value]) => `variable ${name} = ${JSON.stringify(value)}`),
    ...Object.entries(classification?.data ?? {}).map(([key, value]) => `data ${key} = ${JSON.stringify(value)}`),
    'groups:',
    ...groups.map(({ name, rule, isLeaf }) => `  ${isLeaf ? '*' : ' '} ${name}: ${JSON.stringify(rule)}`),
    ...conflicts.map((line) => `conflict: ${line}`),
    '',
  ].join('\n');
}

function listClasses(classes: Classification['classes']): readonly string[] {
  return Array.isArray(classes)
    ? classes
    : Object.entries(classes).map(([name, set]) => {
        const hasParameters = set !== null && typeof set === 'object' && Object.keys(set).length > 0;
        return hasParameters ? `${name} ${JSON.stringify(set)}` : name;
      });
}
