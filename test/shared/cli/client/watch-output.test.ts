import { Command } from 'commander';
import { expect, it } from 'vitest';
import { repeatPrint, WATCH_OPTION } from '../../../../shared/cli/client/watch-output.ts';

const ENDED = new Error('interrupted');

/** Follows a counter for three outputs, then interrupts. */
async function follow(watch: number | true | undefined, isTerminal: boolean) {
  const printed: string[] = [];
  const slept: number[] = [];
  let count = 0;
  const process = {
    print: async (text: string) => {
      printed.push(text);
    },
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds);
      if (slept.length === 3) throw ENDED;
    },
    isTerminal,
  };
  const following = repeatPrint(watch === undefined ? {} : { watch }, process, async (print) => {
    count += 1;
    await print(`${count}`);
    await print('\n');
  });
  await (watch === undefined ? following : expect(following).rejects.toBe(ENDED));
  return { printed, slept };
}

it('prints once without --watch', async () => {
  expect(await follow(undefined, true)).toEqual({ printed: ['1', '\n'], slept: [] });
});

it('replaces the output on a terminal every two seconds', async () => {
  const clear = '\u001b[H\u001b[2J\u001b[3J';
  expect(await follow(true, true)).toEqual({
    printed: [`${clear}1\n`, `${clear}2\n`, `${clear}3\n`],
    slept: [2000, 2000, 2000],
  });
});

it('separates outputs elsewhere, as often as it is told', async () => {
  expect(await follow(0.5, false)).toEqual({ printed: ['1\n', '\n2\n', '\n3\n'], slept: [500, 500, 500] });
});

it.each(['0', 'x', '3601'])('refuses %s seconds', async (watch) => {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  command.option(...WATCH_OPTION);
  expect(() => command.parse([`--watch=${watch}`], { from: 'user' })).toThrow(
    `error: option '--watch [seconds]' argument '${watch}' is invalid. It must be seconds from 0.1 to 3600.`,
  );
});

it('refuses JSON with --watch, as that is one document', async () => {
  const print = async () => {};
  const show = async () => {};
  await expect(repeatPrint({ watch: true, format: 'json' }, { print }, show)).rejects.toThrow(
    '--watch is for people: --format json prints one document',
  );
  await repeatPrint({ format: 'json' }, { print }, show);
});
