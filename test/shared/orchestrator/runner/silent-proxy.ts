import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy whose connections can be silenced: nothing passes on them, and nothing ends them. */
export class SilentProxy {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(target: number): Promise<SilentProxy> {
    const proxy = new SilentProxy(createServer((client) => proxy.#join(client, connect(target, 'localhost'))));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Silences the connections that there are; later ones pass everything on. */
  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.push(from);
      from.on('error', () => {}).pipe(to);
    }
  }
}
