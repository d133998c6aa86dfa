import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Calls a function by its name with an event. Rejects if it fails. */
type Invoke = (name: string, event: unknown) => Promise<unknown>;

/** Lambda's `Invoke` on the loopback interface, for functions that call others. */
export interface InvokeApi {
  readonly url: string;
  close(): void;
}

export async function startInvokeApi(invoke: Invoke): Promise<InvokeApi> {
  const server = createServer(async (request, response) => {
    const [, name = ''] = /\/functions\/([^/]+)\/invocations$/.exec(request.url ?? '') ?? [];
    const event = (await buffer(request)).toString();
    const send = (body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    try {
      send(await invoke(decodeURIComponent(name), event === '' ? {} : JSON.parse(event)));
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      send({ errorMessage, errorType: 'Error' }, { 'X-Amz-Function-Error': 'Unhandled' });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('Lambda has no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
