import { expect, it } from 'vitest';
import { readLocalOptions, UsageExit } from '../../../shared/local/options.ts';

const defaults = { workers: 1 };

it.each([
  ['2', 2],
  ['0.5', 0.5],
])('takes %s as the highest load', (text, maxLoad) => {
  expect(readLocalOptions(['--max-load', text], defaults).maxLoad).toBe(maxLoad);
});

it.each(['0', '-1', 'high', '1e3'])('refuses %s as the highest load', (text) => {
  expect(() => readLocalOptions([`--max-load=${text}`], defaults)).toThrow(
    new UsageExit(
      `error: option '--max-load <average>' argument '${text}' is invalid. It must be a positive number.`,
      1,
    ),
  );
});

it('takes the most memory of Ruby in megabytes', () => {
  expect(readLocalOptions([], defaults).rubyMemory).toBeUndefined();
  expect(readLocalOptions(['--ruby-memory', '256'], defaults).rubyMemory).toBe(256);
});

it.each(['127', '3073', '1g'])('refuses %s as the memory of Ruby', (text) => {
  expect(() => readLocalOptions(['--ruby-memory', text], defaults)).toThrow(
    new UsageExit(
      `error: option '--ruby-memory <megabytes>' argument '${text}' is invalid. It must be a whole number from 128 to 3072.`,
      1,
    ),
  );
});

it.each([
  [[], 'error', true],
  [['--strict', 'warning', '--strict-variables', 'false'], 'warning', false],
  [['--strict=off', '--strict-variables=true'], 'off', true],
])('compiles strictly as %j says', (args, strict, strictVariables) => {
  expect(readLocalOptions(args, defaults)).toMatchObject({ strict, strictVariables });
});

it('refuses another strictness', () => {
  expect(() => readLocalOptions(['--strict', 'some'], defaults)).toThrow(
    "error: option '--strict <level>' argument 'some' is invalid. Allowed choices are off, warning, error.",
  );
});
