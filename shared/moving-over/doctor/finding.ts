/** The findings of `understudy doctor` about the parts of a control repo. */

/** Kinds of parts, in the order of the output. */
export const AREAS = [
  'modules',
  'settings',
  'Hiera',
  'manifests',
  'language',
  'EPP templates',
  'ERB templates',
  'Ruby functions',
  'resource types',
  'Ruby data types',
  'facts',
] as const;

export type Area = (typeof AREAS)[number];

/**
 * `runs`: as with Puppet Server. `differs`: it runs with a difference. `fails`: it does not run.
 * `invalid`: Puppet would not accept it either. `note`: it affects nothing that runs, but is worth
 * knowing.
 */
export type FindingVerdict = 'runs' | 'differs' | 'fails' | 'invalid' | 'note';

export interface DoctorFinding {
  readonly area: Area;
  /** The module that contains it; null for the environment itself. */
  readonly module: string | null;
  /** A function, a type, or a path in the module or the environment. */
  readonly name: string;
  readonly verdict: FindingVerdict;
  /** The difference, or the reason why it does not run; null when it runs. */
  readonly reason: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /**
   * The lines of module Ruby that the reason comes from, innermost first, when there are several.
   */
  readonly backtrace?: readonly string[];
}

export interface ModuleFound {
  readonly name: string;
  readonly version: string | null;
  readonly root: string;
}

/** All findings of one environment. */
export interface Diagnosis {
  readonly environment: string;
  readonly root: string;
  readonly modules: readonly ModuleFound[];
  readonly findings: readonly DoctorFinding[];
}

/** Creates a finding. Its verdict is `runs` unless `more` sets another one. */
export function createFinding(
  area: Area,
  module: string | null,
  name: string,
  more: Partial<DoctorFinding> = {},
): DoctorFinding {
  return { area, module, name, verdict: 'runs', reason: null, file: null, line: null, ...more };
}
