import type { Clock } from '../../shared/store/ports/clock.ts';
import { systemClock as realClock } from '../../shared/store/system-clock.ts';
import { readDisturbance } from './read-disturbance.ts';

const { aheadMs } = readDisturbance(process.env);

/** The machine's clock, ahead by what the plan of the process says. */
export const systemClock: Clock = { ...realClock, now: () => realClock.now() + aheadMs };
