/** A query, a parameter or a command that PuppetDB refuses: answered with 400 and the message. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused';
}

/**
 * A query that PuppetDB accepts and then fails on, as an unknown function of the database:
 * answered with 500 and the message.
 */
export class QueryFailed extends Error {
  override readonly name = 'QueryFailed';
}

/** Words in single quotes, joined as PuppetDB does: `'a' and 'b'`, `'a', 'b', and 'c'`. */
export function listNames(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length <= 2) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
}
