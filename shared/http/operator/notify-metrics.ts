import { Counter, Gauge, type Registry } from 'prom-client';
import { MEASURES } from '../../config/metrics.ts';
import type { NotifyNumbers, NotifyService } from '../../orchestrator/notify/assemble-notifier.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { toMetric } from '../server-metrics.ts';

/** Counts are limited, because counting is expensive. */
const MOST_COUNTED = 100_000;

/**
 * Shows the counts of nodes that are notified of changed catalogs; `count` is called at each
 * scrape. While a store is unavailable, the numbers stay.
 */
export function showNotify(registry: Registry, count: (most: number) => Promise<NotifyNumbers>): void {
  const registers = [registry];
  const paused = new Gauge({ ...toMetric(MEASURES.notifyPaused), registers });
  const notifiedNodes = new Counter({ ...toMetric(MEASURES.notifiedNodes), registers });
  let notifiedBefore = 0;
  new Gauge({
    ...toMetric(MEASURES.notifyNodes),
    registers,
    async collect() {
      const numbers = await count(MOST_COUNTED).catch((error: unknown) => {
        if (error instanceof StoreUnavailable) return null;
        throw error;
      });
      if (numbers === null) return;
      const { due, later, parked, dead } = numbers;
      for (const [state, nodes] of Object.entries({ due, later, parked, dead })) this.set({ state }, nodes);
      paused.set(numbers.paused);
      notifiedNodes.inc(numbers.notified - notifiedBefore);
      notifiedBefore = numbers.notified;
    },
  });
}

/**
 * Measurements of notified nodes, by the metric's name in CloudWatch. Each call returns the counts
 * that the call before began; none while this process notifies nobody.
 */
export function notifyLoad({ count, isActive }: Pick<NotifyService, 'count' | 'isActive'>) {
  let shown: Readonly<Record<string, number>> = {};
  let notifiedBefore = 0;
  return (): Readonly<Record<string, number>> => {
    const now = shown;
    shown = {};
    if (!isActive()) return {};
    count(MOST_COUNTED).then(
      ({ notified, paused, ...states }) => {
        const names = MEASURES.notifyNodes.cloudWatch;
        shown = {
          [names.due]: states.due,
          [names.later]: states.later,
          [names.parked]: states.parked,
          [names.dead]: states.dead,
          [MEASURES.notifiedNodes.cloudWatch]: notified - notifiedBefore,
          [MEASURES.notifyPaused.cloudWatch]: paused,
        };
        notifiedBefore = notified;
      },
      // Without a store, nothing is counted; other alarms say so.
      () => {},
    );
    return now;
  };
}
