import type { MessageBody } from '../ports/dead-message.ts';
import { StoreRefused } from '../ports/store-errors.ts';

/** The kind of a message for error texts, and the types of the fields that each one has. */
export interface MessageShape {
  readonly kind: string;
  readonly fields: Readonly<Record<string, 'string' | 'number'>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses the JSON body of an SQS message. Never throws. */
export function readMessageBody<Content>(body: string | undefined, shape: MessageShape): MessageBody<Content> {
  const found = readFields(body);
  if (found === null) return { content: {}, fault: `the message is not ${shape.kind}: it is no JSON object` };
  const names = Object.keys(shape.fields);
  const wrong = names.filter((name) => typeof found[name] !== shape.fields[name]);
  // The shape names the fields that every content has.
  if (wrong.length === 0) return { content: found as Content, fault: null };
  const right = names.filter((name) => !wrong.includes(name)).map((name) => [name, found[name]]);
  const fault = `the message is not ${shape.kind}: no ${wrong.join(', no ')}`;
  return { content: Object.fromEntries(right) as Partial<Content>, fault };
}

/** Parses the JSON body of an SQS message. Throws StoreRefused for one that cannot be read. */
export function parseMessageBody<Content>(body: string | undefined, shape: MessageShape): Content {
  const { content, fault } = readMessageBody<Content>(body, shape);
  if (fault !== null) throw new StoreRefused(`${fault}: ${body}`);
  return content;
}

function readFields(body: string | undefined): Fields | null {
  try {
    const value: unknown = JSON.parse(body ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}
