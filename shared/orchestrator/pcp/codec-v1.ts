import { isUtf8 } from 'node:buffer';
import { isOneJsonValue, readJsonMembers } from '../../util/json-scan.ts';
import { CHUNK, readChunks, writeChunks } from './chunks.ts';
import { encodeData, isMessageId, PCP_TYPE, type PcpCodec, type PcpMessage, UndecodableFrame } from './pcp-message.ts';
import { isPcpUri, isWildcardUri, SERVER_URI } from './pcp-uri.ts';

/** Version 1 of PCP: one binary frame with an envelope and, optionally, data and debug chunks. */
export const CODEC_V1: PcpCodec = { isBinary: true, decode, encode };

/** The broker sends all messages at once, so it gives none a time at which it ends. */
const NEVER_EXPIRES = '1970-01-01T00:00:00.000Z';
const DATE = /^\d{4}-\d{2}-\d{2}T/;
/** An envelope has some hundred bytes. */
const LARGEST_ENVELOPE = 1024 * 1024;

type Envelope = Readonly<Record<string, unknown>>;

function decode(frame: Buffer, isBinary: boolean): PcpMessage {
  if (!isBinary) throw new UndecodableFrame('the frame is text');
  const [first, ...others] = readChunks(frame);
  if (first?.kind !== CHUNK.envelope) throw new UndecodableFrame('the first chunk is no envelope');
  const envelope = readEnvelope(first.content);
  const data = readData(others.find(({ kind }) => kind !== CHUNK.debug)?.content);
  const targets = envelope.targets;
  const [target, ...more] = targets;
  if (target === undefined) throw new UndecodableFrame('targets is empty');
  const message = { ...envelope.message, target, isMulticast: more.length > 0 || isWildcardUri(target) };
  return message.type === PCP_TYPE.error ? readError(message, data) : { ...message, data };
}

function readEnvelope(content: Buffer) {
  if (content.length > LARGEST_ENVELOPE || !isUtf8(content) || readJsonMembers(content) === null) {
    throw new UndecodableFrame('the envelope is no JSON map');
  }
  const { id, message_type: type, sender, targets, expires, ...more }: Envelope = JSON.parse(content.toString());
  const { 'in-reply-to': inReplyTo, destination_report: report = false, ...unknown } = more;
  if (!isMessageId(id) || typeof type !== 'string') throw new UndecodableFrame('id or message_type is invalid');
  if (inReplyTo !== undefined && !isMessageId(inReplyTo)) throw new UndecodableFrame('in-reply-to is invalid');
  if (typeof sender !== 'string' || !isPcpUri(sender)) throw new UndecodableFrame('sender is invalid');
  if (!isListOfUris(targets)) throw new UndecodableFrame('targets is invalid');
  if (!isDate(expires)) throw new UndecodableFrame('expires is invalid');
  if (typeof report !== 'boolean') throw new UndecodableFrame('destination_report is invalid');
  if (Object.keys(unknown).length > 0) throw new UndecodableFrame('the envelope has an unknown key');
  return { targets, message: { id, type, sender, inReplyTo: inReplyTo ?? null } };
}

function isListOfUris(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && isPcpUri(one));
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && DATE.test(value) && Number.isFinite(Date.parse(value));
}

function readData(content: Buffer | undefined): Buffer | null {
  if (content === undefined || content.length === 0) return null;
  if (!isUtf8(content) || !isOneJsonValue(content)) throw new UndecodableFrame('the data is no JSON');
  return content;
}

/** Here an error names its message in the data; in version 2, in the message itself. */
function readError(message: Omit<PcpMessage, 'data'>, data: Buffer | null): PcpMessage {
  const value: unknown = data === null ? null : JSON.parse(data.toString());
  const { id, description }: Envelope = typeof value === 'object' && value !== null ? { ...value } : {};
  return {
    ...message,
    inReplyTo: isMessageId(id) ? id : message.inReplyTo,
    data: description === undefined ? null : encodeData(description),
  };
}

function encode(message: PcpMessage): Buffer {
  const { id, type, target, sender, inReplyTo } = message;
  const envelope = {
    id,
    message_type: type,
    targets: target === null ? [] : [target],
    sender: sender ?? SERVER_URI,
    expires: NEVER_EXPIRES,
    // Other messages never name the one that they answer.
    ...(type === PCP_TYPE.inventoryResponse && inReplyTo !== null ? { 'in-reply-to': inReplyTo } : {}),
  };
  return writeChunks([
    { kind: CHUNK.envelope, content: encodeData(envelope) },
    { kind: CHUNK.data, content: type === PCP_TYPE.error ? writeError(message) : (message.data ?? NO_DATA) },
  ]);
}

const NO_DATA = encodeData(null);

function writeError({ data, inReplyTo }: PcpMessage): Buffer {
  const id = inReplyTo === null ? '' : `,"id":${JSON.stringify(inReplyTo)}`;
  return Buffer.concat([Buffer.from('{"description":'), data ?? NO_DATA, Buffer.from(`${id}}`)]);
}
