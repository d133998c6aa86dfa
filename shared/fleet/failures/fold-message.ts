import { quotePattern } from '../../util/literal-pattern.ts';

/** Shorter host names occur in too many texts by accident. */
const SHORTEST_NAME = 3;

/** Parts of messages that differ from run to run and from node to node, the longest first. */
const VARIABLE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/g, '<time>'],
  [/\b[0-9a-f]{2}(?::[0-9a-f]{2}){5,}\b/gi, '<address>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '<address>'],
  [/(?<!\d)\d{8}-\d+-[0-9a-z]+\b/g, '<temporary>'],
  [/\b0x[0-9a-f]+\b/gi, '<number>'],
  [/\b(?=[a-f]*\d)[0-9a-f]{16,}\b/gi, '<digest>'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|seconds|milliseconds)\b/g, '<duration>'],
  [/\b\d{5,}\b/g, '<number>'],
];

/** Replaces the names of a node in a text, so that equal texts of several nodes are equal. */
export function createMask(certname: string): (text: string) => string {
  const [hostname = ''] = certname.split('.');
  if (hostname.length < SHORTEST_NAME) return (text) => text;
  const [whole, host] = [asWord(certname), asWord(hostname)];
  return (text) => (text.includes(hostname) ? text.replace(whole, '<certname>').replace(host, '<hostname>') : text);
}

/** Replaces in a message the names of its node, and what differs from run to run. */
export function createFold(certname: string): (message: string) => string {
  const mask = createMask(certname);
  return (message) => VARIABLE_PARTS.reduce((text, [part, name]) => text.replace(part, name), mask(message));
}

function asWord(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${quotePattern(name)}(?![\\w-])`, 'g');
}
