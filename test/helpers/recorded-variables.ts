/**
 * Preloaded into an entry point's process (`node --import`): tells which of our environment
 * variables it reads, one line each on file descriptor 3. Those in `RECORDED_VALUES` (JSON) are
 * set.
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
