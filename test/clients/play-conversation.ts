import { setTimeout } from 'node:timers/promises';
import type { LocalSite } from '../helpers/local-site.ts';
import { type Conversation, compareShape, type Exchange } from './conversation.ts';
import { type WireAnswer, WireClient } from './wire-client.ts';

const POLL_MS = 1000;
const MOST_POLLS = 60;

/**
 * Says what a client said, with its pauses, on connections that stay open as the client's did.
 * Returns what went otherwise than it needs: none when the client would have been content.
 */
export async function playConversation(
  site: LocalSite,
  conversation: Conversation,
  secrets: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const known = new Map(Object.entries({ token: site.token, ...secrets }));
  const open = new Map<number, WireClient>();
  const faults: string[] = [];
  known.set('host', `localhost:${site.ports[conversation.port]}`);
  try {
    for (const exchange of conversation.exchanges) {
      await setTimeout(exchange.gapMs ?? 0);
      const client = open.get(exchange.connection) ?? (await connect(site, conversation));
      open.set(exchange.connection, client);
      const answer = await poll(client, exchange, known);
      faults.push(...judge(exchange, answer).map((fault) => `${exchange.head[0]}: ${fault}`));
      for (const [name, value] of learn(exchange, answer)) known.set(name, value);
    }
  } catch (error) {
    faults.push(String(error));
  } finally {
    for (const client of open.values()) client.close();
  }
  return faults;
}

function connect(site: LocalSite, { port, who, maxTls }: Conversation): Promise<WireClient> {
  const { ca, cert, key } = site.credentialsOf(who);
  const options = { port: site.ports[port], ca, cert, key, ...(maxTls && { maxVersion: maxTls }) };
  return WireClient.open(options, port === 'inventory');
}

async function poll(client: WireClient, exchange: Exchange, known: ReadonlyMap<string, string>): Promise<WireAnswer> {
  const { until } = exchange;
  for (let polls = 1; ; polls += 1) {
    const answer = await client.ask(write(exchange, known));
    if (until === undefined || new RegExp(until).test(answer.text)) return answer;
    if (polls === MOST_POLLS) throw new Error(`${exchange.head[0]}: never ${until}, but ${answer.text}`);
    await setTimeout(POLL_MS);
  }
}

/** The bytes of a request: its head and its body, which clients write apart. */
function write({ head, body }: Exchange, known: ReadonlyMap<string, string>): readonly string[] {
  const text = body === undefined ? '' : fill(body, known);
  const length = Buffer.byteLength(text);
  const lines = fill(head.join('\r\n'), new Map([...known, ['length', String(length)]]));
  if (body === undefined) return [`${lines}\r\n\r\n`];
  const isChunked = head.some((line) => /^transfer-encoding: *chunked$/i.test(line));
  return [`${lines}\r\n\r\n`, isChunked ? `${length.toString(16)}\r\n${text}\r\n0\r\n\r\n` : text];
}

function fill(text: string, known: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{(?:base64 (\d+)|(\w+))\}\}/g, (_, length: string | undefined, name: string) => {
    if (length !== undefined) return 'A'.repeat(Number(length));
    const value = known.get(name);
    if (value === undefined) throw new Error(`{{${name}}} is not known`);
    return value;
  });
}

function judge({ status, shape }: Exchange, answer: WireAnswer): readonly string[] {
  if (answer.status !== status)
    return [`status ${status} wanted, ${answer.status} found: ${answer.text.slice(0, 300)}`];
  const faults = shape === undefined ? [] : compareShape(shape, JSON.parse(answer.text));
  return faults.map((fault) => `${fault}, in ${answer.text.slice(0, 300)}`);
}

function learn({ learn: wanted = {} }: Exchange, answer: WireAnswer): readonly (readonly [string, string])[] {
  return Object.entries(wanted).map(([name, path]) => {
    if (path === 'location') return [name, answer.headers.get('location')?.split('/').at(-1) ?? ''];
    const value = path.reduce((at: unknown, key) => Object(at)[key], JSON.parse(answer.text));
    return [name, String(value)];
  });
}
