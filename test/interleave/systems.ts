import { COMPILE_BUGS, type Plant, SHOWN_IN } from './compile-bugs.ts';
import { beginLargeWorld, listCompileWorlds } from './compile-worlds.ts';
import type { WorldFamily } from './explore.ts';
import { FEED_BUGS, FEED_BUGS_SHOWN_IN, INVENTORY_BUGS } from './feed-bugs.ts';
import { listFeedWorlds } from './feed-worlds.ts';
import { JOB_BUGS, JOB_BUGS_SHOWN_IN } from './job-bugs.ts';
import { beginLargeJobWorld, listJobWorlds } from './job-worlds.ts';
import type { RunOptions, SiteRun } from './site-run.ts';
import type { Sites } from './worlds.ts';

/** Bugs of the stores. */
const STORE_BUGS: Readonly<Record<string, Plant>> = { ...COMPILE_BUGS, ...JOB_BUGS, ...FEED_BUGS };

/** All bugs that can be planted, each with the options that plant it. */
export const BUGS: Readonly<Record<string, Pick<RunOptions, 'plant' | 'plantInventory'>>> = {
  ...Object.fromEntries(Object.entries(STORE_BUGS).map(([bug, plant]) => [bug, { plant }])),
  ...INVENTORY_BUGS,
};

/** All families of small worlds. */
export function listWorlds(sites: Sites, options: RunOptions): readonly WorldFamily[] {
  return [...listCompileWorlds(sites, options), ...listJobWorlds(sites, options), ...listFeedWorlds(sites, options)];
}

/** The families in which a bug shows. */
export function listWorldsOfBug(sites: Sites, bug: string): readonly WorldFamily[] {
  const start = SHOWN_IN[bug] ?? JOB_BUGS_SHOWN_IN[bug] ?? FEED_BUGS_SHOWN_IN[bug] ?? '';
  return listWorlds(sites, BUGS[bug] ?? {}).filter(({ name }) => name.startsWith(start));
}

/** Begins a large world of compiles or, every other two seeds, of jobs. */
export function beginLarge(sites: Sites, seed: number, options: RunOptions): Promise<SiteRun> {
  return seed % 4 < 2 ? beginLargeWorld(sites, seed, options) : beginLargeJobWorld(sites, seed, options);
}
