import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import type { PortName } from '../helpers/local-site.ts';

/**
 * What an answer has: `=text` is that text, `string` any, null anything, a list the first element.
 */
export type Shape = null | string | readonly Shape[] | { readonly [key: string]: Shape };

/** A request of a client as it was on the wire, and what it needs of the answer. */
export interface Exchange {
  /** Requests of one connection have the same number. */
  readonly connection: number;
  /** How long the client did nothing before. */
  readonly gapMs?: number;
  /**
   * The lines of the request's head, in their order. `{{name}}` is replaced: `token`, `host`,
   * `length` of the body, and what was learnt from answers.
   */
  readonly head: readonly string[];
  /** `{{base64 N}}` is that many characters of Base64. */
  readonly body?: string;
  /** A client that polls asks again each second until the answer has this pattern. */
  readonly until?: string;
  readonly status: number;
  readonly shape?: Shape;
  /** Names for values of the answer, by the path there; `location` is the end of that header. */
  readonly learn?: Readonly<Record<string, readonly (string | number)[] | 'location'>>;
}

/** What a client and a server said to each other; the server's part is only described. */
export interface Conversation {
  readonly name: string;
  readonly client: string;
  /** What was run, or read, to get it. */
  readonly from: string;
  readonly port: PortName;
  /** The certname of the client's certificate; absent: it has none. */
  readonly who?: string;
  readonly maxTls?: SecureVersion;
  readonly exchanges: readonly Exchange[];
}

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'clients');

export function readConversations(): readonly Conversation[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.map((file) => {
    return { name: file.slice(0, -'.json'.length), ...JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) };
  });
}

/** Lists what `found` lacks of a shape. */
export function compareShape(shape: Shape, found: unknown, at = ''): readonly string[] {
  if (shape === null) return [];
  if (typeof shape === 'string') {
    const isRight = shape.startsWith('=') ? found === shape.slice(1) : typeof found === shape;
    return isRight ? [] : [`${at}: ${shape} wanted, ${JSON.stringify(found)} found`];
  }
  if (isList(shape)) {
    if (!Array.isArray(found)) return [`${at}: a list wanted, ${JSON.stringify(found)} found`];
    const [first] = shape;
    if (first === undefined) return [];
    return found.length === 0 ? [`${at}: empty`] : compareShape(first, found[0], `${at}[0]`);
  }
  if (typeof found !== 'object' || found === null) return [`${at}: an object wanted, ${JSON.stringify(found)} found`];
  const members = new Map(Object.entries(found));
  return Object.entries(shape).flatMap(([key, wanted]) => {
    return members.has(key) ? compareShape(wanted, members.get(key), `${at}.${key}`) : [`${at}.${key} is missing`];
  });
}

function isList(shape: Shape): shape is readonly Shape[] {
  return Array.isArray(shape);
}
