import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import type { ExplainNode } from './explainer.ts';
import { inspectValue } from './ruby-text.ts';

/** Formats an explanation as `puppet lookup --explain` does. */
export function explainText(root: ExplainNode): string {
  return [...printParts(root, ''), ...printTexts(root, '')].join('');
}

function printParts(node: ExplainNode, indent: string): readonly string[] {
  return node.branches.flatMap((branch) => printLines(branch, indent));
}

function printTexts(node: ExplainNode, indent: string): readonly string[] {
  return node.texts.map((text) => `${indent}${text}\n`);
}

function printLines(node: ExplainNode, indent: string): readonly string[] {
  const { subject } = node;
  const inner = `${indent}  `;
  switch (subject.kind) {
    case 'root':
      return printParts(node, indent);
    case 'search':
      return [`${indent}Searching for "${subject.key}"\n`, ...printParts(node, inner)];
    case 'invalid_key':
      return [`${indent}Invalid key "${subject.key}"\n`];
    case 'merge_source':
      return [`${indent}Using merge options from "${subject.source}" hash\n`];
    case 'module':
      return [
        subject.event === 'module_not_found'
          ? `${indent}Module "${subject.module}" not found\n`
          : `${indent}Module data provider for module "${subject.module}" not found\n`,
      ];
    case 'interpolate':
      return [`${indent}Interpolation on "${subject.expression}"\n`, ...printParts(node, inner)];
    case 'merge':
      return mergeLines(node, subject.strategy, indent);
    case 'data_provider': {
      const { explainedName, configPath = null } = subject.provider;
      const using = configPath === null ? [] : [`${inner}Using configuration "${configPath}"\n`];
      return [`${indent}${explainedName}\n`, ...using, ...printParts(node, inner), ...printOutcome(node, inner)];
    }
    case 'location':
      return locationLines(node, subject.location, indent);
    case 'sub_key':
      return [
        `${indent}Sub key: "${subject.segments.join('.')}"\n`,
        ...printParts(node, inner),
        ...printOutcome(node, inner),
      ];
    case 'segment':
      return printOutcome(node, indent);
    case 'scope':
      return [`${indent}${subject.name}\n`, ...printParts(node, inner), ...printOutcome(node, inner)];
  }
}

function mergeLines(
  node: ExplainNode,
  { name, options }: { readonly name: string; readonly options: PuppetHash | null },
  indent: string,
): readonly string[] {
  // Puppet: a merge with fewer than two branches is not mentioned.
  if (node.branches.length < 2) return printParts(node, indent);
  const inner = `${indent}  `;
  const shown = withoutStrategy(options);
  return [
    `${indent}Merge strategy ${name}\n`,
    ...(shown.size === 0 ? [] : [`${inner}Options: ${valueText(shown, inner)}\n`]),
    ...printParts(node, inner),
    ...(node.event === 'result' ? [`${inner}Merged result: ${valueText(node.value, inner)}\n`] : []),
  ];
}

/** Returns the merge options without the name of the strategy. */
export function withoutStrategy(options: PuppetHash | null): PuppetHash {
  return PuppetHash.of([...(options?.entries() ?? [])].filter(([key]) => key !== 'strategy'));
}

function locationLines(
  node: ExplainNode,
  location: { readonly kind: 'path' | 'uri'; readonly original: string; readonly place: string },
  indent: string,
): readonly string[] {
  const inner = `${indent}  `;
  const type = location.kind === 'path' ? 'Path' : 'URI';
  return [
    `${indent}${type} "${location.place}"\n`,
    `${inner}Original ${type.toLowerCase()}: "${location.original}"\n`,
    ...printParts(node, inner),
    ...(node.event === 'location_not_found' ? [`${inner}${type} not found\n`] : []),
    ...printOutcome(node, inner),
  ];
}

const FOUND_WHERE: Readonly<Record<string, string>> = {
  found: '',
  found_in_overrides: ' in overrides',
  found_in_defaults: ' in defaults',
};

function printOutcome(node: ExplainNode, indent: string): readonly string[] {
  const said = printTexts(node, indent);
  if (node.event === 'not_found') return [`${indent}No such key: "${node.key}"\n`, ...said];
  const where = node.event === null ? undefined : FOUND_WHERE[node.event];
  if (where === undefined) return said;
  return [`${indent}Found key: "${node.key}" value: ${valueText(node.value, indent)}${where}\n`, ...said];
}

function valueText(value: Value, indent: string): string {
  const inner = `${indent}  `;
  if (value instanceof PuppetHash) {
    const items = [...value.entries()].map(([key, item]) => `${valueText(key, inner)} => ${valueText(item, inner)}`);
    return encloseItems('{', items, '}', indent);
  }
  if (!isArray(value)) return inspectValue(value);
  return encloseItems(
    '[',
    value.map((item) => valueText(item, inner)),
    ']',
    indent,
  );
}

function encloseItems(start: string, items: readonly string[], end: string, indent: string): string {
  if (items.length === 0) return start + end;
  return `${start}\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}${end}`;
}
