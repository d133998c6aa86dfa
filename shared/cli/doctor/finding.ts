/** What `understudy doctor` says of one thing in a control repo. */

/** Kinds of things, in the order in which they are told. */
export const AREAS = [
  'modules',
  'settings',
  'Hiera',
  'manifests',
  'EPP templates',
  'ERB templates',
  'Ruby functions',
  'resource types',
  'Ruby data types',
  'facts',
] as const;

export type Area = (typeof AREAS)[number];

/**
 * `runs`: as with Puppet Server. `differs`: it runs, but not in all as there. `fails`: it does not
 * run. `invalid`: no code that Puppet would take. `note`: nothing that changes what runs, but worth
 * knowing.
 */
export type FindingVerdict = 'runs' | 'differs' | 'fails' | 'invalid' | 'note';

export interface DoctorFinding {
  readonly area: Area;
  /** The module that it is in; null for the environment itself. */
  readonly module: string | null;
  /** A function, a type, or a path in the module or the environment. */
  readonly name: string;
  readonly verdict: FindingVerdict;
  /** In what it differs, why it does not run; null when it runs. */
  readonly reason: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

export interface ModuleFound {
  readonly name: string;
  readonly version: string | null;
  readonly root: string;
}

/** All that is said of one environment. */
export interface Diagnosis {
  readonly environment: string;
  readonly root: string;
  readonly modules: readonly ModuleFound[];
  readonly findings: readonly DoctorFinding[];
}

/** A finding of something that runs, unless `more` says otherwise. */
export function createFinding(
  area: Area,
  module: string | null,
  name: string,
  more: Partial<DoctorFinding> = {},
): DoctorFinding {
  return { area, module, name, verdict: 'runs', reason: null, file: null, line: null, ...more };
}
