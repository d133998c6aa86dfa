import type { Clock } from '../../shared/store/ports/clock.ts';
import { systemClock } from '../../shared/store/system-clock.ts';

/** The real time, and what a test lets go by: stores write the real time beside their blobs. */
export class LaterClock implements Clock {
  passed = 0;
  now(): number {
    return systemClock.now() + this.passed;
  }
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(Math.min(milliseconds, 20), signal);
  }
  random(): number {
    return systemClock.random();
  }
}
