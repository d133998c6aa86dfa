/** Implements `to_json` of data, and `JSON`. */
import { parseJson, printJson } from '../../../serialization/json.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { getArgument, type MethodCall, noArguments, textArgument } from '../runtime.ts';

/** Ruby's JSON supports no deeper data. */
const DEPTH_LIMIT = 99;

/** Converts a value to JSON data. */
function toJsonData(value: Value, depth: number): Value {
  if (depth > DEPTH_LIMIT) return fallBack('deep data');
  if (Array.isArray(value)) return value.map((item: Value) => toJsonData(item, depth + 1));
  if (value instanceof PuppetHash)
    return PuppetHash.of(Array.from(value, ([key, item]) => [keyText(key), toJsonData(item, depth + 1)] as const));
  if (value instanceof RubySymbol) return value.name;
  if (typeof value === 'string') return value.isWellFormed() ? value : fallBack('halves of characters');
  return typeof value === 'object' && value !== null ? fallBack('an object as JSON') : value;
}

function keyText(key: Value): string {
  if (key === null) return '';
  if (key instanceof RubySymbol) return key.name;
  return typeof key === 'string' || typeof key === 'bigint' ? String(key) : fallBack('a key as JSON');
}

export function toJson(self: Value, call: MethodCall): string {
  noArguments(call);
  return printJson(toJsonData(self, 0));
}

export function generateJson(call: MethodCall): string {
  return printJson(toJsonData(getArgument(call), 0));
}

export function parseJsonArgument(call: MethodCall): Value {
  const text = textArgument(call);
  const outside = text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, '""');
  if (/\\u[dD][89a-fA-F]/.test(text) || /-0|\d[eE]/.test(outside)) fallBack('JSON that is read in another way');
  const value = parseText(text);
  // Checks the depth.
  toJsonData(value, 0);
  return value;
}

function parseText(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return fallBack(error.message);
    throw error;
  }
}
