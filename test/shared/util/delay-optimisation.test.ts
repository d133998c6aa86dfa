import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { CALLS_BEFORE } from '../../../shared/util/delay-optimisation.ts';

/** V8's own bounds by their flags; it ignores a flag that it does not know. */
const known = new Map(
  execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
    .matchAll(/default: --([a-z-]+)=(\d+)$/gm)
    .map(([, flag = '', calls = '']) => [flag, Number(calls)]),
);

it.each(Object.entries(CALLS_BEFORE))('delays what V8 knows as %s to %d calls', (flag, calls) => {
  expect(known.get(flag)).toBeLessThan(calls);
});

it('changes the bounds of a running process', () => {
  const source = new URL('../../../shared/util/delay-optimisation.ts', import.meta.url).href;
  const script = `
    const { delayOptimisation } = await import(${JSON.stringify(source)});
    if (process.argv[1] === 'delayed') delayOptimisation();
    const add = (a, b) => a + b;
    let sum = 0;
    for (let call = 0; call < 1000; call += 1) sum = add(sum, call);
    // Bit 4: optimised.
    console.log((%GetOptimizationStatus(add) & 16) === 16);`;
  const flags = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--input-type=module', '--no-warnings'];
  const run = (how: string) =>
    execFileSync(process.execPath, [...flags, '-e', script, how], { encoding: 'utf8' }).trim();
  expect([run('usual'), run('delayed')]).toEqual(['true', 'false']);
});
