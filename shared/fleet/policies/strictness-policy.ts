import type { Strictness } from '../../config/strictness.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { FreshnessPolicy } from './policy-fields.ts';

/** The settings that an entry gives. */
export function strictnessOf({
  language,
  strict,
  strictVariables,
}: Partial<Pick<FreshnessPolicy, 'language' | 'strict' | 'strictVariables'>>): Partial<Strictness> {
  return {
    ...(language === undefined ? {} : { language }),
    ...(strict === undefined ? {} : { strict }),
    ...(strictVariables === undefined ? {} : { strictVariables }),
  };
}

/** `language=openvox-9 strict=warning strict_variables=false`; empty when nothing is said. */
export function printStrictness({
  language,
  strict,
  strictVariables,
}: Partial<Pick<FreshnessPolicy, 'language' | 'strict' | 'strictVariables'>> = {}): string {
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
