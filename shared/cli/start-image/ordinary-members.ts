/**
 * A private member's declaration, as the formatter places it: first on its line, with what may
 * stand before its name.
 */
const DECLARED = /^( +(?:(?:static|async|get|set|readonly|override) |\*)*)#(\w+)(?=[\s=;:?!(<])/gm;
const USED = /(?<=[\w)\]!]\??\.)#(\w+)/g;

/**
 * The source of a module with private members (`#name`) made ordinary ones (`name$` and the
 * suffix). As long as code is not optimised, which that of a short command is not, private ones are
 * looked up by symbol, and methods are preceded by a check of the object's class. A source of which
 * it's not certain that it does the same then stays as it is.
 */
export function withOrdinaryMembers(source: string, suffix: string): string {
  const declared = [...source.matchAll(DECLARED)].map((match) => match[2]);
  const names = new Set(declared);
  // A class and one that extends it may each have a member of the same name.
  if (names.size < declared.length && /\bextends\b/.test(source)) return source;
  const changed = source
    .replaceAll(DECLARED, (_, before, name) => `${before}${name}$${suffix}`)
    .replaceAll(USED, (whole, name) => (names.has(name) ? `${name}$${suffix}` : whole));
  return /(?<![\w&])#\w/.test(withoutComments(changed)) ? source : changed;
}

function withoutComments(source: string): string {
  return source.replaceAll(/^ *(?:\/\*)?\*.*|(?<= |^)\/\/ .*/gm, '');
}
