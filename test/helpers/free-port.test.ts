import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { findFreePort } from './free-port.ts';

it('gives each caller another port, which no listener on port 0 gets', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, findFreePort));
  expect(new Set(ports).size).toBe(ports.length);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  expect(typeof address === 'object' && address?.port).toBeGreaterThan(Math.max(...ports));
});
