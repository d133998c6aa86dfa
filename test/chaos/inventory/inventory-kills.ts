/**
 * `npm run chaos:inventory [-- --kills N]`: kills processes that apply commands to the inventory,
 * each before another statement: all of them by default. Exits with 1 when what is stored then
 * differs from what the same commands store without a kill.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { runKills } from './run-kills.ts';

const { values: options } = parseArgs({ options: { kills: { type: 'string', default: '1000' } } });
const { kills, statements, stored, expected } = await runKills(Number(options.kills));
const isSame = isDeepStrictEqual(stored, expected);
console.log(`${kills} kills at ${statements} statements: ${isSame ? 'each command was applied once' : 'it differs'}`);
if (!isSame) {
  console.error(JSON.stringify({ stored, expected }, null, 1));
  process.exitCode = 1;
}
