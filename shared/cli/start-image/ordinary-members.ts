/**
 * The declaration of a private member, as the formatter places it: first on its line, after any
 * modifiers.
 */
const DECLARED = /^( +(?:(?:static|async|get|set|readonly|override) |\*)*)#(\w+)(?=[\s=;:?!(<])/gm;
const USED = /(?<=[\w)\]!]\??\.)#(\w+)/g;

/**
 * Rewrites the private members (`#name`) of a module to ordinary ones (`name$` and the suffix).
 * Unoptimised code, which is most code of a short command, looks private members up by symbol and
 * checks the object's class before each method. A source that might then behave differently is
 * returned unchanged.
 */
export function withOrdinaryMembers(source: string, suffix: string): string {
  const declared = [...source.matchAll(DECLARED)].map((match) => match[2]);
  const names = new Set(declared);
  // A class and its subclass may each have a member of the same name.
  if (names.size < declared.length && /\bextends\b/.test(source)) return source;
  const changed = source
    .replaceAll(DECLARED, (_, before, name) => `${before}${name}$${suffix}`)
    .replaceAll(USED, (whole, name) => (names.has(name) ? `${name}$${suffix}` : whole));
  return /(?<![\w&])#\w/.test(withoutComments(changed)) ? source : changed;
}

function withoutComments(source: string): string {
  return source.replaceAll(/^ *(?:\/\*)?\*.*|(?<= |^)\/\/ .*/gm, '');
}
