import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import { IdentityProvider } from './identity-provider.ts';

/** A user of the provider, by his login. */
type Users = Readonly<Record<string, readonly string[]>>;

/** An identity provider with pages for browsers, on a port of loopback. */
export interface IdentityServer {
  readonly origin: string;
  readonly provider: IdentityProvider;
  /** Names of users who logged out, from their requests. */
  readonly logOuts: string[];
  close(): Promise<void>;
}

/** Starts a provider whose page has a button for each user, and the groups that they are in. */
export async function startIdentityServer(users: Users): Promise<IdentityServer> {
  const provider = await IdentityProvider.open();
  const logOuts: string[] = [];
  let answers = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const asked = readRequest(searchParams);
    if (pathname === '/slo') {
      logOuts.push(asked.name);
      return send(response, `<h1>Logged out</h1><a href="${asked.issuer.replace(/meta$/, 'slo')}">Back</a>`);
    }
    const forms = Object.entries(users).map(([login, groups]) => {
      answers += 1;
      const parts = { request: asked.id, now: Date.now(), id: String(answers), login, groups };
      const addresses = { audience: asked.issuer, recipient: asked.acs, destination: asked.acs };
      const answer = provider.answer({ ...parts, ...addresses });
      return (
        `<form method="post" action="${asked.acs}"><input type="hidden" name="SAMLResponse" value="${answer}">` +
        `<input type="hidden" name="RelayState" value="${searchParams.get('RelayState')?.replaceAll('&', '&amp;')}">` +
        `<button>Continue as ${login}</button></form>`
      );
    });
    send(response, `<h1>Who are you?</h1>${forms.join('')}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    provider,
    logOuts,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function readRequest(parameters: URLSearchParams) {
  const xml = inflateRawSync(Buffer.from(parameters.get('SAMLRequest') ?? '', 'base64')).toString();
  const find = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? '';
  return {
    id: find(/ ID="([^"]*)"/),
    acs: find(/AssertionConsumerServiceURL="([^"]*)"/),
    issuer: find(/<saml:Issuer[^>]*>([^<]*)</),
    name: find(/<saml:NameID[^>]*>([^<]*)</),
  };
}

function send(response: ServerResponse<IncomingMessage>, html: string): void {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>Provider</title>${html}`);
}
