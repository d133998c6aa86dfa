import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A stand-in for Secrets Manager on the loopback interface. */
export interface FakeSecrets {
  readonly url: string;
  /** Texts by the name of the secret; a test may change them. */
  readonly texts: Map<string, string>;
  close(): void;
}

export async function startFakeSecrets(texts: Readonly<Record<string, string>>): Promise<FakeSecrets> {
  const known = new Map(Object.entries(texts));
  const server = createServer(async (request, response) => {
    const { SecretId } = JSON.parse((await buffer(request)).toString());
    const text = known.get(SecretId);
    const headers = { 'Content-Type': 'application/x-amz-json-1.1' };
    if (text === undefined) {
      response.writeHead(400, { ...headers, 'x-amzn-errortype': 'ResourceNotFoundException' });
      response.end(JSON.stringify({ __type: 'ResourceNotFoundException', message: `no secret ${SecretId}` }));
      return;
    }
    response.writeHead(200, headers);
    response.end(JSON.stringify({ Name: SecretId, SecretString: text }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('Secrets Manager has no address');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${address.port}`, texts: known, close };
}
