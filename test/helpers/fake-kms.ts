import { once } from 'node:events';
import { createServer } from 'node:http';

/** A stand-in for KMS on the loopback interface: seals by turning the bytes round. */
export interface FakeKms {
  readonly url: string;
  close(): void;
}

export async function startFakeKms(): Promise<FakeKms> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { Plaintext = '', CiphertextBlob = '', KeyId } = JSON.parse(Buffer.concat(chunks).toString());
    const isEncrypt = request.headers['x-amz-target'] === 'TrentService.Encrypt';
    const answer = isEncrypt ? { CiphertextBlob: reverse(Plaintext) } : { Plaintext: reverse(CiphertextBlob) };
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ KeyId, ...answer }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('KMS has no address');
  return { url: `http://127.0.0.1:${address.port}`, close: () => void server.close() };
}

function reverse(base64: string): string {
  return Buffer.from(Buffer.from(base64, 'base64').toReversed()).toString('base64');
}
