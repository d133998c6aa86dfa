import { rubyToS } from '../../puppet/types/format/ruby-text.ts';
import { displayString } from '../../puppet/types/format/string-converter.ts';
import { PuppetObject } from '../../puppet/types/objects/puppet-object.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { BoltError } from './bolt-error.ts';
import type { PlainHash } from './plan-effects.ts';

/** An object of plans that has a form as data. */
interface WithData {
  toData(): Value;
}

function hasData(value: PuppetObject): value is PuppetObject & WithData {
  return 'toData' in value && typeof value.toData === 'function';
}

/** Ruby: `to_json`. Errors are hashes; what is no data has its text; secrets are not shown. */
export function toPlanJson(value: Value): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toPlanJson);
  if (value instanceof PuppetHash) {
    return Object.fromEntries(Array.from(value, ([key, one]) => [displayString(key), toPlanJson(one)] as const));
  }
  if (value instanceof PuppetObject && hasData(value)) return toPlanJson(value.toData());
  if (value instanceof PuppetObject && value.shape.name === 'Error') return errorJson(value);
  if (value instanceof PuppetObject && value.shape.name === 'ResourceInstance') return toPlanJson(value.toInitHash());
  return displayString(value);
}

function errorJson(error: PuppetObject): PlainHash {
  const code = error.get('issue_code') ?? null;
  return {
    kind: toPlanJson(error.get('kind') ?? null),
    msg: toPlanJson(error.get('msg') ?? null),
    details: toPlanJson(error.get('details') ?? new PuppetHash()),
    ...(code === null ? {} : { issue_code: toPlanJson(code) }),
  };
}

export function faultJson({ basic, kind, details, code }: BoltError): PlainHash {
  const shown = Object.fromEntries(Array.from(details, ([key, one]) => [key, toPlanJson(one)] as const));
  return { kind, msg: basic, details: shown, ...(code === null ? {} : { issue_code: code }) };
}

export function printPlanJson(value: Value): string {
  return JSON.stringify(toPlanJson(value));
}

/** Makes values from what `JSON.parse` gives; numbers without a fraction become Integers. */
export function fromPlain(plain: unknown): Value {
  if (plain === null || typeof plain === 'boolean' || typeof plain === 'string') return plain;
  if (typeof plain === 'number') return Number.isSafeInteger(plain) ? BigInt(plain) : plain;
  if (Array.isArray(plain)) return plain.map(fromPlain);
  if (isJsonObject(plain)) return hashFrom(plain);
  return null;
}

export function hashFrom(plain: PlainHash): PuppetHash {
  return PuppetHash.of(Object.entries(plain).map(([key, one]) => [key, fromPlain(one)] as const));
}

/** The text of a value in `out::message` and the log. Follows lib/bolt/util/format.rb. */
export function stringify(value: Value): string {
  const data = value instanceof PuppetObject && hasData(value) ? value.toData() : value;
  return Array.isArray(data) || data instanceof PuppetHash ? prettyJson(data, '') : rubyToS(data);
}

/** Ruby: JSON.pretty_generate, of what `format_message` makes. */
function prettyJson(value: Value, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((one) => `${inner}${prettyJson(one, inner)}`);
    return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (value instanceof PuppetHash) {
    const entries = Array.from(value, ([key, one]) => {
      return `${inner}${JSON.stringify(rubyToS(key))}: ${prettyJson(one, inner)}`;
    });
    return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`;
  }
  if (value instanceof PuppetObject && hasData(value)) return prettyJson(value.toData(), indent);
  if (value === null || typeof value === 'number') return JSON.stringify(value);
  return typeof value === 'bigint' ? String(value) : JSON.stringify(rubyToS(value));
}
