import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { parseYamlDocument, type YamlNode } from '../../puppet/serialization/yaml-nodes.ts';
import { readPlainScalar } from '../../puppet/serialization/yaml-plain.ts';
import { displayString } from '../../puppet/types/format/string-converter.ts';
import { PlanCodeError } from './bolt-error.ts';
import type { YamlCode } from './yaml-code.ts';

/** Reads a plan's YAML. Texts that may be code keep their form. Throws PuppetError. */
export function readYamlTree(text: string, file: string): YamlCode {
  try {
    const root = parseYamlDocument(text);
    return root === null ? null : build(root);
  } catch (error) {
    if (error instanceof PuppetError) throw error;
    throw new PlanCodeError(`(${file}): ${error instanceof Error ? error.message : String(error)}`);
  }
}

// Bolt: lib/bolt/pal/yaml_plan/loader.rb (PuppetVisitor), which allows no aliases.
function build(node: YamlNode): YamlCode {
  switch (node.kind) {
    case 'alias':
      throw new PlanCodeError(
        `Alias parsing was not enabled. To enable it, pass \`aliases: true\` to \`Psych::load\`.`,
      );
    case 'sequence':
      return node.items.map(build);
    case 'mapping':
      return new Map(node.pairs.map(([key, value]) => [keyOf(key), build(value)] as const));
    default:
      return buildScalar(node);
  }
}

function buildScalar({ value, plain, mark, line }: Extract<YamlNode, { kind: 'scalar' }>): YamlCode {
  if (mark === "'") return value;
  if (mark === '"') return { style: 'double', text: value, line };
  if (mark === '|') return { style: 'literal', text: value, line };
  const read = readPlainScalar(value, (name) => name);
  return plain && typeof read === 'string' ? { style: 'bare', text: read, line } : read;
}

function keyOf(node: YamlNode): string {
  return node.kind === 'scalar' ? node.value : displayString(null);
}
