import type { InventoryDatabase } from '../../shared/inventory/database/inventory-database.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import type { Plant } from './compile-bugs.ts';
import { type CompileSite, type SiteStores, START } from './compile-site.ts';
import type { WorldRun } from './explore.ts';
import { canFail, describeTaken, Scheduler, type Step, type StepOutcome, type TakenStep } from './scheduler.ts';
import type { SqsOptions } from './simulated-sqs.ts';
import type { Trail } from './trail.ts';

export interface RunOptions {
  /** The embedded queue, or SQS. */
  readonly queue?: 'embedded' | SqsOptions;
  /** The process of this step dies when it was made. */
  readonly crash?: string;
  /** This call fails. */
  readonly fault?: { readonly at: string; readonly isDone: boolean };
  /** Results of the run before, which begins with the same steps. */
  readonly trail?: Trail;
  /** The time that each step takes; 0 by default. */
  readonly tickMs?: number;
  readonly plant?: Plant;
  /** Replaces calls of the inventory's database, as each process sees it. */
  readonly plantInventory?: (database: InventoryDatabase) => InventoryDatabase;
  /** Gets a line for each step. */
  readonly trace?: (line: string) => void;
}

/** The clocks of a run. */
export interface RunTimes {
  /** The time of all machines. */
  readonly now: () => number;
  /** The time of a service that no clock of ours changes. */
  readonly sharedNow: () => number;
}

/** One run of a site: processes call the product's code. What it writes is undone by `close`. */
export abstract class SiteRun implements WorldRun {
  readonly scheduler: Scheduler;
  readonly site: CompileSite;
  /** The stores as no process sees them: their calls are no steps. */
  protected readonly stores: SiteStores;
  /** How far clocks were set back. */
  protected setBackMs = 0;
  protected readonly options: RunOptions;
  protected readonly trail: Trail | undefined;

  /** `change` puts other stores in the place of the site's. */
  constructor(
    site: CompileSite,
    options: RunOptions,
    change: (stores: SiteStores, times: RunTimes) => SiteStores = (stores) => stores,
  ) {
    this.site = site;
    this.options = options;
    // A planted bug may have a memory of its own, which no trail brings back.
    this.trail = options.plant || options.plantInventory ? undefined : options.trail;
    const { plant = (stores: SiteStores) => stores, tickMs, trace } = options;
    const observe = (taken: TakenStep) => {
      trace?.(describeTaken(taken));
      this.observe(taken);
    };
    this.scheduler = new Scheduler(START, observe, tickMs);
    const now = () => this.scheduler.now();
    this.stores = plant(change(site.begin(now, this.trail), { now, sharedNow: () => now() + this.setBackMs }));
  }

  /** Called after each step, before its caller goes on. */
  protected abstract observe(taken: TakenStep): void;

  abstract finish(): Promise<void>;

  close(): void {
    if (!this.trail) this.site.end();
  }

  /** A look at the stores that is no call of a port. */
  protected look<T>(look: () => T): T {
    return this.trail ? this.trail.look(look) : look();
  }

  outcomeOf({ id, call }: Step): StepOutcome {
    const { crash, fault } = this.options;
    if (id === crash) return 'crash';
    if (id !== fault?.at || !canFail(call)) return 'done';
    return { fault: new StoreUnavailable(`${call} failed`), isDone: fault.isDone };
  }

  /** The stores as a process sees them. */
  storesOf(process: string): SiteStores {
    const wrap = <Port extends keyof SiteStores & string>(port: Port): SiteStores[Port] =>
      this.scheduler.wrap(process, port, this.stores[port] as object) as SiteStores[Port];
    return {
      nodes: wrap('nodes'),
      dependencies: wrap('dependencies'),
      exports: wrap('exports'),
      changes: wrap('changes'),
      blobs: wrap('blobs'),
      environments: wrap('environments'),
      documents: wrap('documents'),
      queue: wrap('queue'),
      fanOut: wrap('fanOut'),
      groups: wrap('groups'),
      jobs: wrap('jobs'),
      nodeChanges: wrap('nodeChanges'),
      seal: this.stores.seal,
      clock: this.scheduler.clockOf(process),
    };
  }

  /** The clocks of all machines jump, at any moment of the run. */
  jump(milliseconds: number): void {
    const jump = async () => {
      this.scheduler.stepClock(milliseconds);
      this.setBackMs += Math.max(0, -milliseconds);
    };
    const time = this.scheduler.wrap('time', '*', { jump });
    this.scheduler.start('time', () => time.jump());
  }
}
