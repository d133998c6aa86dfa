/**
 * `node --import …/plant-bug.ts functions/local.ts`: gives every thread of the server one module of
 * `bugs/` in place of its own. So the harness is tested itself: it must report what it is there to
 * find.
 */
import { replaceModules } from './replace-modules.ts';

/** The variable that names the bug of a process. */
export const BUG_VARIABLE = 'CHAOS_BUG';

/** Modules of the server, by the bug that takes their place. */
export const BUGS = { 'skip-currency-check': '../../shared/fleet/catalogs/currency.ts' } as const;

export type PlantedBug = keyof typeof BUGS;

export function isPlantedBug(name: string): name is PlantedBug {
  return Object.hasOwn(BUGS, name);
}

const bug = process.env[BUG_VARIABLE];
if (bug !== undefined && isPlantedBug(bug)) replaceModules([[BUGS[bug], `./bugs/${bug}.ts`]]);
