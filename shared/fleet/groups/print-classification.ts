import type {
  ClassificationConflicts,
  FinalClassification,
  GroupClassification,
  InheritedClassification,
  SourcedValue,
} from './classify-by-groups.ts';
import { listEnvironmentLeaves, plainClasses, plainValues } from './classify-by-groups.ts';
import type { GroupHierarchy } from './group-hierarchy.ts';
import { explainRule, type RuleSubject } from './match-rule.ts';
import { type GroupValues, type NodeGroup, printGroup } from './node-group.ts';

/** The marker of the classifier API for the groups that declare a class. */
const SOURCES = 'puppetlabs.classifier/sources';

/** The conflicts as the API writes them. */
export function printConflicts({ environment, variables, classes, configData }: ClassificationConflicts): GroupValues {
  return {
    ...(environment && { environment: environment.map(printSourced) }),
    ...(variables && { variables: mapValues(variables, (values) => values.map(printSourced)) }),
    ...(classes && { classes: mapValues(classes, (one) => mapValues(one, (values) => values.map(printSourced))) }),
    ...(configData && {
      config_data: mapValues(configData, (one) => mapValues(one, (values) => values.map(printSourced))),
    }),
  };
}

function printSourced({ value, from, definedBy }: SourcedValue): GroupValues {
  return { value, from: printGroup(from), defined_by: printGroup(definedBy) };
}

/** One line for each thing that the groups of a node disagree about. */
export function describeConflicts({ environment, variables, classes, configData }: ClassificationConflicts): string[] {
  const line = (what: string, values: readonly SourcedValue[]) => {
    const parts = values.map(({ value, from, definedBy }) => {
      const inherited = from.id === definedBy.id ? '' : ` (defined by '${definedBy.name}')`;
      return `${JSON.stringify(value)} from '${from.name}'${inherited}`;
    });
    return `${what}: ${parts.join(', ')}`;
  };
  const ofClasses = (kind: string, values: ClassificationConflicts['classes'] = {}) =>
    Object.entries(values).flatMap(([name, one]) =>
      Object.entries(one).map(([parameter, each]) => line(`${kind} ${name} ${parameter}`, each)),
    );
  return [
    ...(environment === undefined ? [] : [line('environment', environment)]),
    ...Object.entries(variables ?? {}).map(([name, values]) => line(`variable ${name}`, values)),
    ...ofClasses('class', classes),
    ...ofClasses('config data', configData),
  ];
}

/** The explanation of a classification, as the API writes it. */
export function printExplanation(
  subject: RuleSubject,
  classification: GroupClassification,
  hierarchy: GroupHierarchy,
): GroupValues {
  const { matching, leaves, conflicts, final } = classification;
  const { name, fact, trusted } = subject;
  return {
    node_as_received: { name, fact: fact ?? {}, trusted: trusted ?? {} },
    match_explanations: byId(matching, (group) => {
      const rule = hierarchy.inheritedRuleOf(group);
      return rule && explainRule(group.rule ?? rule, subject);
    }),
    leaf_groups: byId(
      leaves.map(({ group }) => group),
      printGroup,
    ),
    inherited_classifications: Object.fromEntries(leaves.map((leaf) => [leaf.group.id, printInherited(leaf)])),
    ...(conflicts === null ? {} : { conflicts: printConflicts(conflicts) }),
    individual_classification: { classes: {}, variables: {}, config_data: {} },
    ...(final === null ? {} : { final_classification: printFinal(final) }),
    classification_sources: printSources(leaves),
  };
}

function byId(groups: readonly NodeGroup[], print: (group: NodeGroup) => unknown): GroupValues {
  return Object.fromEntries(groups.map((group) => [group.id, print(group)]));
}

function printInherited({ group, classes, configData, variables }: InheritedClassification): GroupValues {
  return {
    environment: group.environment,
    environment_trumps: group.environmentTrumps,
    classes: plainClasses(classes),
    config_data: plainClasses(configData),
    variables: plainValues(variables),
  };
}

function printFinal({ environment, classes, configData, variables }: FinalClassification): GroupValues {
  return { environment, classes, config_data: configData, variables };
}

/** Prints the groups that each value of the answer comes from. */
function printSources(leaves: readonly InheritedClassification[]): GroupValues {
  const environments = listEnvironmentLeaves(leaves).map(({ environment }) => environment);
  const variables = leaves.flatMap((leaf) => [...leaf.variables]);
  return {
    environment: printSource(environments),
    classes: printClassSources(leaves),
    variables: printSourcesOf(variables),
    config_data: Object.fromEntries(
      [...groupPairs(leaves.flatMap((leaf) => [...leaf.configData]))].map(([name, all]) => [
        name,
        printSourcesOf(all.flatMap((values) => [...values])),
      ]),
    ),
  };
}

function printClassSources(leaves: readonly InheritedClassification[]): GroupValues {
  const declared = groupPairs(leaves.flatMap((leaf) => [...leaf.declared]));
  const pairs = [...groupPairs(leaves.flatMap((leaf) => [...leaf.classes]))];
  return Object.fromEntries(
    pairs.map(([name, all]) => {
      const sources = [...new Set((declared.get(name) ?? []).map(({ id }) => id))];
      return [name, { [SOURCES]: sources, ...printSourcesOf(all.flatMap((values) => [...values])) }];
    }),
  );
}

function printSourcesOf(values: readonly (readonly [string, SourcedValue])[]): GroupValues {
  return Object.fromEntries([...groupPairs(values)].map(([name, all]) => [name, printSource(all)]));
}

function printSource(values: readonly SourcedValue[]): GroupValues {
  const sources = [...new Set(values.map(({ definedBy }) => definedBy.id))];
  return { value: values[0]?.value ?? null, sources };
}

function groupPairs<T>(pairs: readonly (readonly [string, T])[]): ReadonlyMap<string, readonly T[]> {
  const grouped = Map.groupBy(pairs, ([name]) => name);
  return new Map([...grouped].map(([name, some]) => [name, some.map(([, value]) => value)]));
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
