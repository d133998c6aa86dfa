import { encodePath } from '../query/plan-values.ts';
import { cleanText, isWireMap, numberKind, writeWireJson } from './wire-json.ts';

/** A path to a leaf of the facts, or to a whole structured fact, with the type of the value. */
export interface FactPathRow {
  readonly path: string;
  readonly pathArray: string;
  readonly name: string;
  readonly depth: number;
  readonly type: string;
}

interface Element {
  readonly name: string;
  readonly isIndex: boolean;
}

/** The paths of facts; empty arrays and hashes have none. */
export function listFactPaths(values: Readonly<Record<string, unknown>>): readonly FactPathRow[] {
  return Object.entries(values).flatMap(([name, value]) => pathsBelow([{ name, isIndex: false }], value));
}

function pathsBelow(path: readonly Element[], value: unknown): readonly FactPathRow[] {
  const children = childrenOf(value);
  if (children === null) return [pathRow(path, typeOfValue(value))];
  const below = children.flatMap(([element, child]) => pathsBelow([...path, element], child));
  return path.length === 1 && children.length > 0 ? [pathRow(path, 'json'), ...below] : below;
}

function childrenOf(value: unknown): readonly (readonly [Element, unknown])[] | null {
  if (Array.isArray(value)) return value.map((item, index) => [{ name: String(index), isIndex: true }, item]);
  if (!isWireMap(value)) return null;
  return Object.entries(value).map(([name, item]) => [{ name, isIndex: false }, item]);
}

function pathRow(path: readonly Element[], type: string): FactPathRow {
  return {
    path: cleanText(encodePath(path)),
    pathArray: writeWireJson(path.map(({ name, isIndex }) => (isIndex ? Number(name) : name))),
    name: cleanText(path[0]?.name ?? ''),
    depth: path.length - 1,
    type,
  };
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  return numberKind(value) ?? 'string';
}
