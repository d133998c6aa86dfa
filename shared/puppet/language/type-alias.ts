import type {
  AccessExpression,
  KeyedEntry,
  LiteralHash,
  Positioned,
  QualifiedName,
  QualifiedReference,
} from './ast.ts';

/**
 * Expands `type X = { … }` and `type X = Parent { … }` to `Object[{ …, parent => Parent }]`. The
 * parents `Object` and `TypeSet` take the hash directly. New nodes have the position of `at`.
 */
export function typeAliasTarget(
  parent: QualifiedReference | null,
  hash: LiteralHash,
  at: Positioned,
): AccessExpression {
  const objectType: QualifiedReference = { kind: 'QualifiedReference', ...at, casedValue: 'Object', value: 'object' };
  if (!parent) return { kind: 'AccessExpression', ...at, leftExpr: objectType, keys: [hash] };
  if (parent.casedValue === 'Object' || parent.casedValue === 'TypeSet') {
    return { kind: 'AccessExpression', ...at, leftExpr: parent, keys: [hash] };
  }
  const inHash = { offset: hash.offset, length: 0, locator: at.locator };
  const key: QualifiedName = { kind: 'QualifiedName', ...inHash, value: 'parent' };
  const entry: KeyedEntry = { kind: 'KeyedEntry', ...inHash, key, value: parent };
  const extended: LiteralHash = { ...hash, entries: [...hash.entries, entry] };
  return { kind: 'AccessExpression', ...at, leftExpr: objectType, keys: [extended] };
}
