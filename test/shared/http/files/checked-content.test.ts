import { expect, it } from 'vitest';
import { checkContent } from '../../../../shared/http/files/checked-content.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';

const CHUNKS = ['one ', 'two ', 'three'];
const source = (chunks: readonly string[]) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
const fail = async () => new Error('damaged');
const check = (chunks: readonly string[], text: string) => checkContent(source(chunks), digestSha256(text), fail);

it.each([[CHUNKS], [['one']], [[]]])('passes %j on', async (chunks) => {
  expect(await new Response(check(chunks, chunks.join(''))).text()).toBe(chunks.join(''));
});

it('fails before the last chunk of other content', async () => {
  const reader = check(CHUNKS, 'else').getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await read()).toBe('one ');
  await expect(read().then(read)).rejects.toThrow('damaged');
  await expect(new Response(check([], 'else')).text()).rejects.toThrow('damaged');
});

it('ends its source when its reader gives up', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const reader = checkContent(endless, '', fail).getReader();
  await reader.read();
  await reader.cancel();
  expect(isCancelled).toBe(true);
});
