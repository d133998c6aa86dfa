import { STRICT_LEVELS, type StrictLevel, type Strictness } from '../../config/strictness.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';

/** How strictly nodes of an environment are compiled; what is absent is the server's. */
export interface StrictnessPolicy {
  readonly strict?: StrictLevel;
  readonly strictVariables?: boolean;
}

/** The settings that an entry gives. */
export function strictnessOf({ strict, strictVariables }: StrictnessPolicy): Partial<Strictness> {
  return {
    ...(strict === undefined ? {} : { strict }),
    ...(strictVariables === undefined ? {} : { strictVariables }),
  };
}

/** Null for anything but one of Puppet's levels. */
export function parseStrictLevel(value: unknown): StrictLevel | null {
  return STRICT_LEVELS.find((one) => one === value) ?? null;
}

/** `strict=warning strict_variables=false`; empty when nothing is said. */
export function printStrictness({ strict, strictVariables }: StrictnessPolicy = {}): string {
  const shown = [
    ...(strict === undefined ? [] : [`strict=${strict}`]),
    ...(strictVariables === undefined ? [] : [`strict_variables=${strictVariables}`]),
  ];
  return shown.join(' ');
}

/** The record of a new revision with this strictness. */
export function setStrictness(record: EnvironmentRecord, strictness: Partial<Strictness>): EnvironmentRecord {
  if (printStrictness(record.strictness) === printStrictness(strictness)) return record;
  return { ...record, strictness, strictnessRevision: record.revision };
}
