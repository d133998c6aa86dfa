import { printJson } from '../../serialization/json.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';

export interface PrettyOptions {
  readonly indent: string;
  readonly space: string;
  readonly spaceBefore: string;
  readonly objectLine: string;
  readonly arrayLine: string;
}

/** Prints data like Ruby's `JSON.pretty_generate`. */
export function printPrettyJson(value: Value, options: PrettyOptions, depth = 0): string {
  const inner = options.indent.repeat(depth + 1);
  const outer = options.indent.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return `[${options.arrayLine.repeat(2)}${outer}]`;
    const items = value.map((item: Value) => inner + printPrettyJson(item, options, depth + 1));
    return `[${options.arrayLine}${items.join(`,${options.arrayLine}`)}${options.arrayLine}${outer}]`;
  }
  if (!(value instanceof PuppetHash)) return printJson(value);
  if (value.size === 0) return `{${options.objectLine}${outer}}`;
  const members = [...value].map(
    ([key, item]) =>
      `${inner}${printJson(key)}${options.spaceBefore}:${options.space}${printPrettyJson(item, options, depth + 1)}`,
  );
  return `{${options.objectLine}${members.join(`,${options.objectLine}`)}${options.objectLine}${outer}}`;
}
