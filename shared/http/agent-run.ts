import { request } from 'node:https';
import { NamedError } from '../util/named-error.ts';

/** A node's name, and its certificate and key in PEM. */
interface AgentIdentity {
  readonly certname: string;
  readonly certificate: string;
  readonly key: string;
}

/** A request of the run was not answered with 200; the message names it. */
export class AgentRunFailed extends NamedError {}

interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

const ENVIRONMENT = 'environment=production';
const LISTING = 'recurse=true&links=follow&checksum_type=sha256&source_permissions=ignore';
const ACCEPTED = 'application/vnd.puppet.rich+json, application/json, application/octet-stream, text/plain';

/**
 * Does what an agent does in one run: the CA, the node, the plugins, the content of one of them,
 * the catalog, and a report. As agents without a copy do, it takes the CA's certificate from the
 * server first. Returns the number of resources. Throws AgentRunFailed.
 */
export async function runAsAgent(url: string, identity: AgentIdentity, facts: Readonly<Record<string, unknown>>) {
  const { certname } = identity;
  const ca = await ask(url, null, { method: 'GET', path: '/puppet-ca/v1/certificate/ca' });
  const send = (method: AgentRequest['method'], path: string, body?: string, type?: string) =>
    ask(url, { ...identity, ca }, { method, path: `/puppet/v3/${path}`, ...(body && type ? { body, type } : {}) });
  await send('GET', `node/${certname}?${ENVIRONMENT}`);
  const plugins = readPlugins(await send('GET', `file_metadatas/plugins?${ENVIRONMENT}&${LISTING}`));
  const [file] = plugins.filter(({ type }) => type === 'file');
  if (file) await send('GET', `file_content/plugins/${file.relative_path}?${ENVIRONMENT}`);
  const form = new URLSearchParams({
    environment: 'production',
    facts_format: 'application/json',
    facts: encodeURIComponent(JSON.stringify({ name: certname, values: facts })),
  });
  const path = `catalog/${certname}?${ENVIRONMENT}`;
  const catalog = await send('POST', path, form.toString(), 'application/x-www-form-urlencoded');
  const report = { host: certname, status: 'unchanged', noop: true, metrics: {}, logs: [], resource_statuses: {} };
  await send('PUT', `report/${certname}?${ENVIRONMENT}`, JSON.stringify(report), 'application/json');
  return { resources: countResources(catalog) };
}

function readPlugins(text: string): readonly { readonly type: string; readonly relative_path: string }[] {
  const plugins: unknown = JSON.parse(text);
  if (Array.isArray(plugins)) return plugins;
  throw new AgentRunFailed('The listing of plugins is no list');
}

function countResources(text: string): number {
  const { resources } = Object(JSON.parse(text));
  if (Array.isArray(resources)) return resources.length;
  throw new AgentRunFailed('The catalog has no resources');
}

/** Returns the body of an answer. Null: without a certificate, and the server's is not verified. */
function ask(
  url: string,
  identity: (AgentIdentity & { readonly ca: string }) | null,
  { method, path, body, type }: AgentRequest,
): Promise<string> {
  const what = `${method} ${path.split('?')[0]}`;
  const secrets =
    identity === null
      ? { rejectUnauthorized: false }
      : { ca: identity.ca, cert: identity.certificate, key: identity.key };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(new AgentRunFailed(`${what}: ${cause.message}`, { cause }));
    const headers = { Accept: ACCEPTED, ...(type === undefined ? {} : { 'Content-Type': type }) };
    const outgoing = request(new URL(path, url), { ...secrets, method, headers }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.once('error', fail).once('end', () => {
        if (incoming.statusCode === 200) resolve(text);
        else fail(new Error(`${incoming.statusCode} ${text.slice(0, 500)}`));
      });
    });
    outgoing.once('error', fail).end(body);
  });
}
