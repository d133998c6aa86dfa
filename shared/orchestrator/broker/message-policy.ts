import type { Identity } from '../../access/authorization/access-entry.ts';
import type { Authorization } from '../../access/authorization/authorization.ts';

/** Attributes of a message that rules match. */
interface JudgedMessage {
  readonly type: string;
  readonly sender: string;
  readonly target: string;
}

const TYPE = /^[\w\-.:/]*$/;
const TARGET = /^[\w\-.:/*]*$/;

/**
 * Decides who may send which messages. The rules have the form of auth.conf: each message is a
 * POST of `/pcp-broker/send` with the query parameters `sender`, `target` and `message_type`. A
 * message with characters in type or target that no name has is denied, whatever the rules say.
 */
export class MessagePolicy {
  readonly #authorization: Authorization;

  constructor(authorization: Authorization) {
    this.#authorization = authorization;
  }

  allows(identity: Identity, { type, sender, target }: JudgedMessage): boolean {
    if (!TYPE.test(type) || !TARGET.test(target)) return false;
    const values: Readonly<Record<string, string>> = { sender, target, message_type: type };
    const query = { getAll: (name: string) => (values[name] === undefined ? [] : [values[name]]) };
    return this.#authorization.judge({ method: 'POST', path: '/pcp-broker/send', query, identity }).allowed;
  }
}
