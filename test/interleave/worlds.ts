import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { CompileSite, type SitePlan } from './compile-site.ts';
import type { World } from './explore.ts';
import { SimulatedInventory } from './simulated-inventory.ts';
import type { RunOptions } from './site-run.ts';

/** A small world: what happens at a time in it. */
export interface SmallWorld<Run> {
  readonly name: string;
  readonly start: (run: Run) => void | Promise<void>;
  /** A process that dies after each of its steps in turn. */
  readonly dies?: string;
  /** A process whose calls fail, one after the other. */
  readonly fails?: string;
}

/** Longer than the calls of any process of a small world. */
const MOST_CALLS = 60;

/** The sites of worlds, one for each plan: a run undoes what it wrote. */
export class Sites {
  readonly #sites = new Map<SitePlan, Promise<CompileSite>>();
  #inventory: Promise<SimulatedInventory> | null = null;

  get(plan: SitePlan): Promise<CompileSite> {
    const known = this.#sites.get(plan) ?? CompileSite.create(plan);
    this.#sites.set(plan, known);
    return known;
  }

  /** The inventory of the worlds that have one: all of one plan. */
  getInventory(): Promise<SimulatedInventory> {
    this.#inventory ??= SimulatedInventory.open();
    return this.#inventory;
  }

  /** Forgets the sites: the next worlds begin with new ones. */
  async renew(): Promise<void> {
    await (await this.#inventory)?.empty();
    for (const site of this.#sites.values()) (await site).close();
    this.#sites.clear();
  }

  async close(): Promise<void> {
    await this.renew();
    await (await this.#inventory)?.close();
  }
}

/** A world with each of its faults; `begin` makes one of them. */
export function listFaults(
  { name, dies, fails }: Pick<SmallWorld<never>, 'name' | 'dies' | 'fails'>,
  suffix: string,
  begin: (options: RunOptions) => World['begin'],
): readonly World[] {
  const process = dies ?? fails;
  if (process === undefined) return [{ name: name + suffix, begin: begin({}) }];
  return Array.from({ length: MOST_CALLS }, (_, index) => `${process}#${index}`).flatMap((at): readonly World[] => {
    if (dies) return [{ name: `${name} at ${at}${suffix}`, begin: begin({ crash: at }), needs: at }];
    return [true, false].map((isDone) => ({
      name: `${name} ${isDone ? 'after' : 'before'} ${at}${suffix}`,
      begin: begin({ fault: { at, isDone } }),
      needs: at,
    }));
  });
}

/** For worlds whose faults are their own. */
export const NO_CHANCE = { crashes: 0, faults: 0, makeFault: ({ call }: { readonly call: string }) => new Error(call) };

/** The faults of half of the large worlds: the others have none, and a stricter end. */
export function chanceOf(seed: number) {
  const isFaulty = seed % 2 === 1;
  return {
    crashes: isFaulty ? 0.005 : 0,
    faults: isFaulty ? 0.01 : 0,
    makeFault: ({ call }: { readonly call: string }) => new StoreUnavailable(`${call} failed`),
  };
}
