import { describe, expect, it } from 'vitest';
import type { InventoryReply } from '../../../../../shared/puppet/compiler/inventory-questions.ts';
import { Inputs } from '../../../../../shared/puppet/environment/inputs.ts';
import { compileSource, type SourceOptions } from '../../../../helpers/compile-source.ts';

const ROWS = '[{"certname":"a.test","value":9007199254740993},{"certname":"b.test","value":null}]';
const REPLIES: Readonly<Record<string, InventoryReply>> = {
  'facts {}': { digest: 'd1', rows: ROWS, error: null },
  '["from","nodes",["=","certname","a.test"]]': { digest: 'd2', rows: '[{"certname":"a.test"}]', error: null },
  wrong: { digest: 'd3', rows: null, error: 'PQL parse error at line 1, column 1' },
};
const inventory = (query: string) => REPLIES[query] ?? null;

/** The notices of a compile, or its error. */
function run(code: string, options: SourceOptions = { inventory }): unknown {
  const result = compileSource(code, options);
  if (result.status === 'needs') return result.question;
  return result.status === 'failed' ? result.error.message : result.log.map(({ message }) => message);
}

const inCall = (text: string, column: number) =>
  `Evaluation Error: Error while evaluating a Function Call, ${text} (line: 1, column: ${column}) on node node.example.com`;

describe('puppetdb_query', () => {
  it.each<[string, unknown]>([
    [
      "puppetdb_query('facts {}').each |$f| { notice($f['certname'], ' ', $f['value']) }",
      ['a.test   9007199254740993', 'b.test   '],
    ],
    ["notice(puppetdb_query(['from', 'nodes', ['=', 'certname', 'a.test']])[0]['certname'])", ['a.test']],
    ["notice(puppetdb_query('nodes {}'))", 'nodes {}'],
    [
      "notice(puppetdb_query(['from', 'nodes', ['=', 'a', undef], 1.5, true]))",
      '["from","nodes",["=","a",null],1.5,true]',
    ],
    [
      "notice(puppetdb_query('wrong'))",
      inCall("The inventory refuses the query 'wrong': PQL parse error at line 1, column 1", 8),
    ],
    [
      "notice(puppetdb_query(''))",
      inCall("'puppetdb_query' parameter 'query' expects a value of type String[1] or Array[Data, 1], got String", 8),
    ],
    [
      "notice(puppetdb_query(sprintf('%09000d', 1)))",
      inCall('A query to the inventory has at most 8192 characters, not 9000', 8),
    ],
    [
      `Integer[1, 201].each |$i| { puppetdb_query("nodes { certname = '\${i}' }") }`,
      inCall('A catalog uses at most 200 queries to the inventory with 65536 characters in all', 29),
    ],
  ])('answers %s', (code, expected) => {
    const all = (query: string) =>
      / = '\d+'/.test(query) ? { digest: 'd', rows: '[]', error: null } : inventory(query);
    expect(run(code, { inventory: all })).toEqual(expected);
  });

  it('records each query with the digest of its answer', () => {
    const inputs = new Inputs();
    run("puppetdb_query('facts {}')\npuppetdb_query('wrong')", { inventory, inputs });
    expect(inputs.getResult().queries).toEqual({ 'facts {}': 'd1', wrong: 'd3' });
    expect(new Inputs().getResult()).not.toHaveProperty('queries');
  });

  it('is unknown without an inventory, as in Puppet without the termini', () => {
    expect(run("puppetdb_query('facts {}')", {})).toBe(
      "Evaluation Error: Unknown function: 'puppetdb_query'. (line: 1, column: 1) on node node.example.com",
    );
  });
});
