import { describe, expect, it } from 'vitest';
import { ServerAddress } from '../../../../shared/fleet/compiles/server-address.ts';

const unasked = () => Promise.reject(new Error('DNS was asked'));

describe('the address of the server', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8::7', '2001:db8::7'],
    [undefined, null],
  ])('%s is %s without DNS', async (given, expected) => {
    expect(await new ServerAddress(given, unasked).find()).toBe(expected);
  });

  it.each([[['10.140.4.20', '10.140.0.100', '10.140.12.3']], [['10.140.12.3', '10.140.4.20', '10.140.0.100']]])(
    'is the lowest that the name leads to, in whichever order DNS answers: %j',
    async (addresses) => {
      const asked: string[] = [];
      const address = new ServerAddress('edge.elb.example.com', async (host) => {
        asked.push(host);
        return addresses;
      });
      expect(await Promise.all([address.find(), address.find()])).toEqual(['10.140.0.100', '10.140.0.100']);
      expect(await address.find()).toBe('10.140.0.100');
      expect(asked).toEqual(['edge.elb.example.com']);
    },
  );

  it('compares numbers, not texts', async () => {
    expect(await new ServerAddress('edge', async () => ['10.0.0.10', '10.0.0.9']).find()).toBe('10.0.0.9');
  });

  it('is not known while DNS does not know it, and asked for again', async () => {
    const answers = [() => Promise.reject(new Error('EAI_AGAIN')), async () => [], async () => ['192.0.2.7']];
    const address = new ServerAddress('edge', () => answers.shift()?.() ?? unasked());
    const message = "The server's address edge cannot be resolved";
    await expect(address.find()).rejects.toMatchObject({ message, cause: new Error('EAI_AGAIN') });
    await expect(address.find()).rejects.toThrow(message);
    expect(await address.find()).toBe('192.0.2.7');
  });

  it('is that of the system’s own DNS, when no other is given', async () => {
    expect(await new ServerAddress('localhost').find()).toBe('127.0.0.1');
  });
});
