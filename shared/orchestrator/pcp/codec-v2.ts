import { type JsonSpan, readJsonMembers, readJsonText } from '../../util/json-scan.ts';
import { isMessageId, type PcpCodec, type PcpMessage, UndecodableFrame } from './pcp-message.ts';
import { isPcpUri, isWildcardUri } from './pcp-uri.ts';

/**
 * Version 2 of PCP: one text frame with a JSON map. The transport has checked that a text frame is
 * UTF-8.
 */
export const CODEC_V2: PcpCodec = { isBinary: false, decode, encode };

const KEYS = new Set(['id', 'message_type', 'target', 'sender', 'in_reply_to', 'data']);

function decode(frame: Buffer, isBinary: boolean): PcpMessage {
  if (isBinary) throw new UndecodableFrame('the frame is binary');
  const members = readJsonMembers(frame);
  if (members === null) throw new UndecodableFrame('the frame is no JSON map');
  for (const key of members.keys()) if (!KEYS.has(key)) throw new UndecodableFrame('the message has an unknown key');
  const read = (key: string, check: (text: string) => boolean): string | null => {
    const span = members.get(key);
    const text = span === undefined ? null : readJsonText(frame, span);
    if (span !== undefined && (text === null || !check(text))) throw new UndecodableFrame(`${key} is invalid`);
    return text;
  };
  const [id, type] = [read('id', isMessageId), read('message_type', () => true)];
  if (id === null || type === null) throw new UndecodableFrame('id or message_type is missing');
  const target = read('target', isPcpUri);
  return {
    id,
    type,
    target,
    sender: read('sender', isPcpUri),
    inReplyTo: read('in_reply_to', isMessageId),
    data: cut(frame, members.get('data')),
    isMulticast: target !== null && isWildcardUri(target),
  };
}

function cut(frame: Buffer, span: JsonSpan | undefined): Buffer | null {
  return span === undefined ? null : frame.subarray(span.start, span.end);
}

const END = Buffer.from('}');

/**
 * Writes the members anew, so that a key that the sender repeated cannot mean different things to
 * broker and recipient.
 */
function encode({ id, type, target, sender, inReplyTo, data }: PcpMessage): Buffer {
  const members = [
    `"id":${JSON.stringify(id)},"message_type":${JSON.stringify(type)}`,
    ...(target === null ? [] : [`"target":${JSON.stringify(target)}`]),
    ...(sender === null ? [] : [`"sender":${JSON.stringify(sender)}`]),
    ...(inReplyTo === null ? [] : [`"in_reply_to":${JSON.stringify(inReplyTo)}`]),
  ];
  const head = `{${members.join(',')}`;
  if (data === null) return Buffer.from(`${head}}`);
  return Buffer.concat([Buffer.from(`${head},"data":`), data, END]);
}
