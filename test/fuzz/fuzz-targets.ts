import { ArchiveTarget } from './archive-target.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { INVENTORY_ARCHIVE_TARGET } from './inventory-archive-target.ts';
import { REQUEST_TARGET } from './request-target.ts';
import { SAML_TARGET } from './saml-target.ts';
import { TEXT_TARGETS } from './text-targets.ts';

/** A target, and what to call when it is done with. */
interface OpenTarget {
  readonly target: FuzzTarget;
  close(): void;
}

export const TARGET_NAMES: readonly string[] = [
  ...TEXT_TARGETS.map(({ name }) => name),
  'request',
  'inventory-archive',
  'saml',
  'archive',
];

/** Opens a target. Throws for an unknown name. */
export function findTarget(name: string): OpenTarget {
  if (name === 'archive') {
    const target = new ArchiveTarget();
    return { target, close: () => target.close() };
  }
  const target = [...TEXT_TARGETS, REQUEST_TARGET, INVENTORY_ARCHIVE_TARGET, SAML_TARGET].find(
    (one) => one.name === name,
  );
  if (target === undefined) throw new Error(`there is no target '${name}', only ${TARGET_NAMES.join(', ')}`);
  return { target, close: () => undefined };
}
