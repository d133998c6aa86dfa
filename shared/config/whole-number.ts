/** The bounds of a setting, and its usual value. */
export interface NumberBounds {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Reads a whole number from a deployment's variable; the usual value where it is not set. Throws
 * RangeError that names the variable.
 */
export function readWholeNumber(text: string | undefined, { usual, least, most }: NumberBounds, variable: string) {
  const number = text === undefined || text === '' ? usual : Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`${variable} must be a whole number from ${least} to ${most}, not '${text}'`);
}
