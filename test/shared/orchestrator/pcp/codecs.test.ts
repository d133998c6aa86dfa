import { describe, expect, it } from 'vitest';
import { CHUNK, readChunks, writeChunks } from '../../../../shared/orchestrator/pcp/chunks.ts';
import { CODEC_V1 } from '../../../../shared/orchestrator/pcp/codec-v1.ts';
import { CODEC_V2 } from '../../../../shared/orchestrator/pcp/codec-v2.ts';
import { type PcpMessage, UndecodableFrame } from '../../../../shared/orchestrator/pcp/pcp-message.ts';

const ID = '6c1a52f8-3a8f-4a62-9d55-0e5b0b8f3f11';
const OTHER = 'b5b2b5de-7c38-4f0e-8a1c-3a4b6d9d9e02';
const [SENDER, TARGET] = ['pcp://web01/agent', 'pcp://web02/agent'];
const EXPIRES = '2030-01-01T00:00:00Z';

const message: PcpMessage = {
  id: ID,
  type: 'greeting',
  sender: SENDER,
  target: TARGET,
  inReplyTo: null,
  data: null,
  isMulticast: false,
};
const readable = ({ data, ...rest }: PcpMessage) => ({ ...rest, data: data && Buffer.from(data).toString() });
const envelope = { id: ID, message_type: 'greeting', sender: SENDER, targets: [TARGET], expires: EXPIRES };
const chunk = (kind: number, content: unknown) => ({
  kind,
  content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
});
const frameV1 = (...chunks: ReturnType<typeof chunk>[]) => writeChunks(chunks);
const refusal = (decode: () => unknown) => {
  try {
    decode();
    return null;
  } catch (error) {
    return error instanceof UndecodableFrame ? error.message : error;
  }
};

describe('a frame of version 2', () => {
  const decode = (value: unknown, isBinary = false) =>
    CODEC_V2.decode(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), isBinary);

  it('needs an id and a type only', () => {
    expect(readable(decode({ id: ID, message_type: '' }))).toEqual({
      ...message,
      type: '',
      sender: null,
      target: null,
    });
  });

  it('keeps its data as it came', () => {
    const data = '{"n": 12345678901234567890, "x": 1.50, "t": "\\u00e9"}';
    const text = `{"id":"${ID}","message_type":"greeting","target":"${TARGET}","in_reply_to":"${OTHER}","data": ${data} }`;
    const read = decode(text);
    expect(readable(read)).toEqual({ ...message, sender: null, inReplyTo: OTHER, data });
    expect(CODEC_V2.encode({ ...read, sender: SENDER }).toString()).toBe(
      `{"id":"${ID}","message_type":"greeting","target":"${TARGET}","sender":"${SENDER}","in_reply_to":"${OTHER}","data":${data}}`,
    );
  });

  it('goes on with one value of a repeated key, the one that was checked', () => {
    const text = `{"sender":"pcp://other/agent","id":"${ID}","message_type":"greeting","sender":"${SENDER}"}`;
    expect(CODEC_V2.encode(decode(text)).toString()).toBe(
      `{"id":"${ID}","message_type":"greeting","sender":"${SENDER}"}`,
    );
  });

  it('may name several recipients with a wildcard', () => {
    expect(decode({ id: ID, message_type: 'x', target: 'pcp://*/agent' }).isMulticast).toBe(true);
  });

  it.each([
    ['{nope', 'the frame is no JSON map'],
    ['[]', 'the frame is no JSON map'],
    ['', 'the frame is no JSON map'],
    [{ message_type: 'x' }, 'id or message_type is missing'],
    [{ id: ID }, 'id or message_type is missing'],
    [{ id: 'nope', message_type: 'x' }, 'id is invalid'],
    [{ id: 7, message_type: 'x' }, 'id is invalid'],
    [{ id: ID, message_type: null }, 'message_type is invalid'],
    [{ id: ID, message_type: 'x', target: 'nope' }, 'target is invalid'],
    [{ id: ID, message_type: 'x', target: null }, 'target is invalid'],
    [{ id: ID, message_type: 'x', sender: 'pcp://a/b/c' }, 'sender is invalid'],
    [{ id: ID, message_type: 'x', in_reply_to: 'nope' }, 'in_reply_to is invalid'],
    [{ id: ID, message_type: 'x', expires: EXPIRES }, 'the message has an unknown key'],
    [`{"id":"${ID}","message_type":"x","data":${'['.repeat(200_000)}`, 'the frame is no JSON map'],
  ])('%j is none: %s', (value, expected) => {
    expect(refusal(() => decode(value))).toBe(expected);
  });

  it('is not binary', () => {
    expect(refusal(() => decode({ id: ID, message_type: 'x' }, true))).toBe('the frame is binary');
  });
});

describe('a frame of version 1', () => {
  it('has an envelope and, optionally, data', () => {
    expect(readable(CODEC_V1.decode(frameV1(chunk(1, envelope)), true))).toEqual(message);
    const frame = frameV1(chunk(1, { ...envelope, 'in-reply-to': OTHER, destination_report: true }), chunk(2, '1.50'));
    expect(readable(CODEC_V1.decode(frame, true))).toEqual({ ...message, inReplyTo: OTHER, data: '1.50' });
  });

  it.each([
    ['flags in the first byte of a chunk', [chunk(0x71, envelope), chunk(0xf2, '{}')], '{}'],
    ['a debug chunk, which is dropped', [chunk(1, envelope), chunk(2, '7'), chunk(3, '{"hops":[]}')], '7'],
    ['a debug chunk alone', [chunk(1, envelope), chunk(3, 'no JSON')], null],
    ['empty data', [chunk(1, envelope), chunk(2, '')], null],
  ])('may have %s', (_, chunks, data) => {
    expect(readable(CODEC_V1.decode(frameV1(...chunks), true)).data).toBe(data);
  });

  it('turns an error into the form of version 2, and back', () => {
    const data = { id: OTHER, description: 'Oops' };
    const type = 'http://puppetlabs.com/error_message';
    const read = CODEC_V1.decode(frameV1(chunk(1, { ...envelope, message_type: type }), chunk(2, data)), true);
    expect(readable(read)).toEqual({ ...message, type, inReplyTo: OTHER, data: '"Oops"' });
    const [, written] = readChunks(CODEC_V1.encode(read));
    expect(JSON.parse(String(written?.content))).toEqual(data);
  });

  it.each([
    ['greeting', { id: ID, message_type: 'greeting' }],
    [
      'http://puppetlabs.com/inventory_response',
      { id: ID, message_type: 'http://puppetlabs.com/inventory_response', 'in-reply-to': OTHER },
    ],
  ])('names the message that it answers in an inventory response only: %s', (type, expected) => {
    const chunks = readChunks(CODEC_V1.encode({ ...message, type, inReplyTo: OTHER }));
    expect(chunks.map(({ kind, content }) => [kind, JSON.parse(content.toString())])).toEqual([
      [CHUNK.envelope, { ...expected, sender: SENDER, targets: [TARGET], expires: '1970-01-01T00:00:00.000Z' }],
      [CHUNK.data, null],
    ]);
  });

  it("is the broker's own without sender and target", () => {
    const [written] = readChunks(CODEC_V1.encode({ ...message, sender: null, target: null }));
    expect(JSON.parse(String(written?.content))).toMatchObject({ sender: 'pcp:///server', targets: [] });
  });

  it.each([
    [{ targets: [TARGET, 'pcp://web03/agent'] }],
    [{ targets: ['pcp://*/agent'] }],
    [{ targets: ['pcp://web02/*'] }],
  ])('names several recipients with %j', (part) => {
    expect(CODEC_V1.decode(frameV1(chunk(1, { ...envelope, ...part })), true).isMulticast).toBe(true);
  });

  it.each([
    [{ id: 'nope' }, 'id or message_type is invalid'],
    [{ message_type: 7 }, 'id or message_type is invalid'],
    [{ sender: undefined }, 'sender is invalid'],
    [{ sender: 'web01' }, 'sender is invalid'],
    [{ targets: [] }, 'targets is empty'],
    [{ targets: TARGET }, 'targets is invalid'],
    [{ targets: [7] }, 'targets is invalid'],
    [{ expires: undefined }, 'expires is invalid'],
    [{ expires: 'soon' }, 'expires is invalid'],
    [{ expires: '2030-13-01T00:00:00Z' }, 'expires is invalid'],
    [{ 'in-reply-to': null }, 'in-reply-to is invalid'],
    [{ destination_report: 'yes' }, 'destination_report is invalid'],
    [{ in_reply_to: OTHER }, 'the envelope has an unknown key'],
  ])('with %j in the envelope is none: %s', (part, expected) => {
    expect(refusal(() => CODEC_V1.decode(frameV1(chunk(1, { ...envelope, ...part })), true))).toBe(expected);
  });

  const whole = frameV1(chunk(1, envelope), chunk(2, '1'));
  const patched = (at: number, ...bytes: number[]) => {
    const frame = Buffer.from(whole);
    frame.set(bytes, at);
    return frame;
  };

  it.each([
    ['nothing', Buffer.alloc(0), 'the first byte is not version 1'],
    ['another version', patched(0, 2), 'the first byte is not version 1'],
    ['zeros', Buffer.alloc(250), 'the first byte is not version 1'],
    ['no chunk', Buffer.of(1), 'the first chunk is no envelope'],
    ['data first', frameV1(chunk(2, envelope)), 'the first chunk is no envelope'],
    ['a negative length', patched(2, 0xff, 0xff, 0xff, 0xff), 'the length of a chunk is invalid'],
    ['a length behind the end', patched(2, 0x7f, 0xff, 0xff, 0xff), 'the length of a chunk is invalid'],
    ['its last byte missing', whole.subarray(0, -1), 'the length of a chunk is invalid'],
    ['half a chunk head', Buffer.concat([whole, Buffer.of(3, 0)]), 'a chunk is truncated'],
    [
      'many chunks',
      frameV1(chunk(1, envelope), ...Array.from({ length: 16 }, () => chunk(3, ''))),
      'the message has too many chunks',
    ],
    ['an envelope that is no JSON', frameV1(chunk(1, '{nope')), 'the envelope is no JSON map'],
    ['a list as envelope', frameV1(chunk(1, '[]')), 'the envelope is no JSON map'],
    ['data that is no JSON', frameV1(chunk(1, envelope), chunk(2, '\u0001')), 'the data is no JSON'],
    [
      'data that is no UTF-8',
      frameV1(chunk(1, envelope), { kind: 2, content: Buffer.from([0x22, 0xff, 0x22]) }),
      'the data is no JSON',
    ],
  ])('with %s is none: %s', (_, frame, expected) => {
    expect(refusal(() => CODEC_V1.decode(frame, true))).toBe(expected);
  });

  it('is not text', () => {
    expect(refusal(() => CODEC_V1.decode(whole, false))).toBe('the frame is text');
  });
});
