import { describe, expect, it } from 'vitest';
import {
  compilePcpPatterns,
  isPcpUri,
  isWildcardUri,
  splitPcpUri,
} from '../../../../shared/orchestrator/pcp/pcp-uri.ts';

describe('a PCP URI', () => {
  it.each([
    ['pcp://web01/agent', true],
    ['pcp:///server', true],
    ['pcp://*/*', true],
    ['pcp://web01/', false],
    ['pcp://web01', false],
    ['pcp://web01/a/b', false],
    ['http://web01/agent', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(isPcpUri(text)).toBe(expected);
  });

  it.each([
    ['pcp://web01/agent', { certname: 'web01', type: 'agent' }],
    ['pcp:///server', { certname: '', type: 'server' }],
    ['pcp://web01/a/b', { certname: 'web01', type: 'a' }],
  ])('%j has the parts %j', (uri, parts) => {
    expect(splitPcpUri(uri)).toEqual(parts);
  });

  it.each([
    ['pcp://*/agent', true],
    ['pcp://web01/*', true],
    ['pcp://web*/agent', false],
    ['pcp://web01/agent', false],
  ])('%j names several connections: %s', (uri, expected) => {
    expect(isWildcardUri(uri)).toBe(expected);
  });
});

describe('patterns', () => {
  const connected = ['pcp://a.example.com/agent', 'pcp://a.example.com/tool', 'pcp://b.example.com/agent'];

  it.each([
    [['pcp://*/*'], connected],
    [['pcp://*/agent'], [connected[0], connected[2]]],
    [['pcp://a.example.com/*'], [connected[0], connected[1]]],
    [
      ['pcp://b.example.com/agent', 'pcp://*/tool'],
      [connected[1], connected[2]],
    ],
    [['pcp://*.example.com/agent'], []],
    [[], []],
  ])('%j match %j', (patterns, expected) => {
    expect(connected.filter(compilePcpPatterns(patterns))).toEqual(expected);
  });
});
