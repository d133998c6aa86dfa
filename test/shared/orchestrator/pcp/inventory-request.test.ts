import { describe, expect, it } from 'vitest';
import { readInventoryRequest } from '../../../../shared/orchestrator/pcp/inventory-request.ts';

describe('the data of an inventory request', () => {
  it.each([
    ['{"query":["pcp://*/*"]}', { query: ['pcp://*/*'], subscribe: false }],
    ['{"query":[],"subscribe":true}', { query: [], subscribe: true }],
    ['{"query":["nope"]}', null],
    ['{"query":"pcp://*/*"}', null],
    ['{"query":[],"subscribe":"yes"}', null],
    ['{"query":[],"more":1}', null],
    ['{}', null],
    ['[]', null],
    ['null', null],
  ])('%s is %j', (text, expected) => {
    expect(readInventoryRequest(Buffer.from(text))).toEqual(expected);
  });

  it('is missing', () => {
    expect(readInventoryRequest(null)).toBeNull();
  });
});
