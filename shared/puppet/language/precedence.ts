import { T } from './token.ts';

/**
 * The precedence of each binary operator by token kind; all are left-associative. 0: not a binary
 * operator.
 */
const POWERS = new Uint8Array(128);

/** The precedence of `?`. */
export const SELECTOR_POWER = 3;

const LEVELS: readonly (readonly number[])[] = [
  [],
  [T.OR],
  [T.AND],
  [T.QMARK],
  [T.GREATEREQUAL, T.GREATERTHAN, T.LESSTHAN, T.LESSEQUAL],
  [T.NOTEQUAL, T.ISEQUAL],
  [T.LSHIFT, T.RSHIFT],
  [T.MINUS, T.PLUS],
  [T.TIMES, T.DIV, T.MODULO],
  [T.MATCH, T.NOMATCH],
  [T.IN],
];
for (const [power, kinds] of LEVELS.entries()) for (const kind of kinds) POWERS[kind] = power;

export function getBindingPower(kind: number): number {
  return POWERS[kind] ?? 0;
}
