import { writeChunks } from '../../shared/orchestrator/pcp/chunks.ts';
import { BrokerWorld, PREFIX, type TestClient } from '../helpers/broker-world.ts';
import { SeededChance } from './seeded-chance.ts';

export interface BrokerFuzzFigures {
  /** How often the broker gave which answer; `nothing` for messages delivered or ignored. */
  readonly byAnswer: Readonly<Record<string, number>>;
  /** Frames that made the broker throw, in base64. */
  readonly faults: readonly { readonly frame: string; readonly cause: unknown }[];
  /** Frames after which two other clients could not talk as before. */
  readonly disturbances: number;
}

const ID = '6c1a52f8-3a8f-4a62-9d55-0e5b0b8f3f11';
/** How often the other clients are tried. */
const CHECK_EVERY = 50;

/** Sends this many malformed frames to a broker. Equal seeds give equal frames. */
export function fuzzBroker(frames: number, seed: number): BrokerFuzzFigures {
  const chance = new SeededChance(seed);
  const world = new BrokerWorld();
  const others = [world.connect('a.example.com'), world.connect('b.example.com', { version: 1 })] as const;
  const byAnswer: Record<string, number> = {};
  const faults: { frame: string; cause: unknown }[] = [];
  let disturbances = 0;
  for (let count = 0; count < frames; count += 1) {
    const version = chance.of([1, 2] as const);
    const client = world.connect('ctl.example.com', { version });
    const frame = mutate(version === 1 ? frameV1(chance) : frameV2(chance), chance);
    try {
      client.writeFrame(frame, chance.often(0.02) ? version !== 1 : version === 1);
    } catch (cause) {
      faults.push({ frame: frame.toString('base64'), cause });
    }
    const answer = answerOf(client);
    byAnswer[answer] = (byAnswer[answer] ?? 0) + 1;
    for (const other of others) other.take();
    if (count % CHECK_EVERY === 0 && !canTalk(others)) disturbances += 1;
  }
  return { byAnswer, faults, disturbances };
}

function answerOf(client: TestClient): string {
  const [answer] = client.take();
  if (answer === undefined) return client.end ?? 'nothing';
  const { type, sender, data }: { type?: unknown; sender?: unknown; data?: unknown } = answer;
  // Its own message: the frame named itself as target.
  if (sender !== null && sender !== 'pcp:///server') return 'nothing';
  return type === `${PREFIX}error_message` ? String(data) : String(type).replace(PREFIX, '');
}

function canTalk([one, two]: readonly [TestClient, TestClient]): boolean {
  one.write({ target: two.uri, data: 1 });
  two.write({ target: one.uri, data: 2 });
  return one.take().length === 1 && two.take().length === 1 && one.end === null && two.end === null;
}

const WORDS = ['pcp:///server', 'pcp://a.example.com/agent', 'pcp://*/agent', 'pcp://ctl.example.com/agent', 'nope'];
const MALFORMED_URIS = [
  'pcp://',
  'pcp:///',
  'pcp://a.example.com',
  'pcp://a.example.com/',
  'pcp://a.example.com/agent/more',
  'pcp://a.example.com//agent',
  'PCP://a.example.com/agent',
  'http://a.example.com/agent',
  'pcp://a%00.example.com/agent',
  'pcp://é.example.com/agent',
  'pcp://a.example.com/agent\n',
  ` ${'pcp://a.example.com/'.repeat(3)}`,
  `pcp://${'a'.repeat(100_000)}/agent`,
];
const LENGTHS = [-1, 0, 1, 0x7fffffff, -0x80000000, 0x01000000];
const TYPES = ['associate_request', 'inventory_request', 'error_message', 'rpc_blocking_request'].map(
  (type) => PREFIX + type,
);

function readValue(chance: SeededChance, depth = 0): unknown {
  const leaf = () => chance.of<unknown>([null, true, 0, -1.5e300, 2 ** 53, '', 'é✓\u0000', '\ud800', ...WORDS, ID]);
  if (depth > 3 || chance.often(0.4)) return leaf();
  if (chance.often(0.5)) return chance.times(4, () => readValue(chance, depth + 1));
  const keys = ['query', 'subscribe', 'id', 'description', '__proto__', 'data', ''];
  return Object.fromEntries(chance.times(4, () => [chance.of(keys), readValue(chance, depth + 1)]));
}

/** A value that fits, or sometimes any other. */
function pick<T>(chance: SeededChance, fits: T): unknown {
  return chance.often(0.05) ? readValue(chance) : fits;
}

function pickUri(chance: SeededChance): string {
  return chance.often(0.1) ? chance.of(MALFORMED_URIS) : chance.of(WORDS);
}

function dataText(chance: SeededChance): string {
  if (chance.often(0.02)) return chance.of(['[', '{"a":']).repeat(chance.below(100_000));
  if (chance.often(0.01)) return `${'['.repeat(chance.below(50_000))}1`.padEnd(100_000, ']');
  if (chance.often(0.3)) return JSON.stringify({ query: [chance.of(WORDS)], subscribe: chance.often(0.5) });
  return JSON.stringify(readValue(chance)) ?? 'null';
}

function frameV2(chance: SeededChance): Buffer {
  const message = {
    id: pick(chance, ID),
    message_type: pick(chance, chance.of(TYPES)),
    ...(chance.often(0.8) ? { target: pick(chance, chance.of(WORDS)) } : {}),
    ...(chance.often(0.5) ? { sender: pick(chance, chance.of(WORDS)) } : {}),
    ...(chance.often(0.2) ? { in_reply_to: pick(chance, ID) } : {}),
  };
  const text = JSON.stringify(message);
  return Buffer.from(chance.often(0.2) ? text : text.replace(/}$/, `,"data":${dataText(chance)}}`));
}

function frameV1(chance: SeededChance): Buffer {
  const envelope = {
    id: pick(chance, ID),
    message_type: pick(chance, chance.of(TYPES)),
    targets: pick(
      chance,
      chance.times(3, () => pickUri(chance)),
    ),
    sender: pick(chance, 'pcp://ctl.example.com/agent'),
    expires: pick(chance, '2030-01-01T00:00:00Z'),
  };
  const chunks = [
    { kind: 1, content: Buffer.from(JSON.stringify(envelope)) },
    ...chance.times(3, () => ({
      kind: chance.of([2, 2, 2, 3, chance.below(256)]),
      content: Buffer.from(dataText(chance)),
    })),
  ];
  const frame = writeChunks(chunks);
  // The length of the envelope.
  if (chance.often(0.05)) frame.writeInt32BE(chance.of(LENGTHS), 2);
  return frame;
}

/** Changes, cuts, repeats or inserts some bytes; leaves some frames as they are. */
function mutate(frame: Buffer, chance: SeededChance): Buffer {
  let bytes = Buffer.from(frame);
  for (let left = chance.below(4); left > 0; left -= 1) {
    const at = chance.below(bytes.length + 1);
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    const inserted = Buffer.from(chance.times(4, () => chance.below(256)));
    const way = chance.below(4);
    if (way === 0) bytes = Buffer.concat([head, tail.subarray(1 + chance.below(8))]);
    else if (way === 1) bytes = Buffer.from(head);
    else bytes = Buffer.concat([head, inserted, tail.subarray(chance.often(0.5) ? inserted.length : 0)]);
  }
  return bytes;
}
