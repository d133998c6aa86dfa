import type { LanguageLevel } from '../../config/language-level.ts';
import { STRICT_LEVELS, type StrictLevel, type Strictness } from '../../config/strictness.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';

/**
 * The language that nodes of an environment are compiled in, and how strictly; what is absent is
 * the server's.
 */
export interface StrictnessPolicy {
  readonly language?: LanguageLevel;
  readonly strict?: StrictLevel;
  readonly strictVariables?: boolean;
}

/** The settings that an entry gives. */
export function strictnessOf({ language, strict, strictVariables }: StrictnessPolicy): Partial<Strictness> {
  return {
    ...(language === undefined ? {} : { language }),
    ...(strict === undefined ? {} : { strict }),
    ...(strictVariables === undefined ? {} : { strictVariables }),
  };
}

/** Null for anything but one of Puppet's levels. */
export function parseStrictLevel(value: unknown): StrictLevel | null {
  return STRICT_LEVELS.find((one) => one === value) ?? null;
}

/** `language=openvox-9 strict=warning strict_variables=false`; empty when nothing is said. */
export function printStrictness({ language, strict, strictVariables }: StrictnessPolicy = {}): string {
  const shown = [
    ...(language === undefined ? [] : [`language=${language}`]),
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
