import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readUpstreamAnswer } from '../../../../shared/http/upstream/upstream-server.ts';

const pieces = () => Readable.from([Buffer.from('cata'), Buffer.from('log')]);

describe('readUpstreamAnswer', () => {
  it('reads an answer up to the limit', async () => {
    expect(Buffer.from(await readUpstreamAnswer(pieces(), { most: 7 })).toString()).toBe('catalog');
  });

  it.each<[string, () => Readable, object, string]>([
    ['is too large', pieces, { most: 6 }, "the upstream's answer has more than 6 bytes"],
    ['does not end', () => new PassThrough(), { longestMs: 1 }, "the upstream's answer took longer than 0.001 seconds"],
    ['ends early', () => new PassThrough().destroy(new Error('aborted')), {}, "the upstream's answer ended early"],
  ])('refuses one that %s', async (_, open, bounds, message) => {
    const answer = open();
    await expect(readUpstreamAnswer(answer, bounds)).rejects.toThrow(message);
    expect(answer.destroyed).toBe(true);
  });
});
