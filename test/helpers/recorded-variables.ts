/**
 * Preloaded into the process of an entry point (`node --import`). It reports each of our
 * environment variables that the process reads, one per line on file descriptor 3. Variables in
 * `RECORDED_VALUES` (JSON) are set. Pauses are short: what waits for AWS to answer has none here.
 */
import { writeSync } from 'node:fs';

const values: Readonly<Record<string, string>> = JSON.parse(process.env.RECORDED_VALUES ?? '{}');
const seen = new Set<string>();

process.env = new Proxy<NodeJS.ProcessEnv>(
  { ...process.env, ...values },
  {
    get(target, name) {
      if (typeof name === 'string' && name.startsWith('UNDERSTUDY_') && !seen.has(name)) {
        seen.add(name);
        writeSync(3, `${name}\n`);
      }
      return Reflect.get(target, name);
    },
  },
);

const LONGEST_PAUSE_MS = 20;
const realSetTimeout = globalThis.setTimeout;
globalThis.setTimeout = Object.assign(
  (work: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) =>
    realSetTimeout(work, Math.min(milliseconds, LONGEST_PAUSE_MS), ...args),
  realSetTimeout,
);
