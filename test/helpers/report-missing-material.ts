import { BESIDE, isBeside } from './material-beside.ts';

/**
 * Global setup of vitest: prints one line with the recordings that do not lie beside this clone.
 */
export function setup(): void {
  const line = missingMaterial();
  if (line !== null) console.log(line);
}

function missingMaterial(): string | null {
  const names = (Object.keys(BESIDE) as (keyof typeof BESIDE)[]).filter((name) => !isBeside(name));
  return names.length === 0 ? null : `Not in ../shared, so what compares with it is skipped: ${names.join(', ')}`;
}
