import { countUnits } from '../../util/count-units.ts';
import { shortenId } from '../../util/short-id.ts';
import type { FailureEvent } from './failure-events.ts';
import { nameFailure, printCodeLine } from './failure-names.ts';

/** Nodes that an alert names. */
const MOST_NAMES = 5;
const LONGEST_TITLE = 200;

/** The path of the console's page about a failure. */
export function pathOfFailure(id: string): string {
  return `/console/failures/${id}`;
}

/** An event in a line: `production: 12 nodes fail to compile: no such tier`. */
export function describeFailureEvent({ what, group }: FailureEvent): string {
  const { kind, environment, count } = group;
  const nodes = countUnits(count, 'node');
  const fails =
    kind === 'compile' ? (count === 1 ? 'does not compile' : 'do not compile') : count === 1 ? 'fails' : 'fail';
  const state = what === 'opened' ? `${nodes} ${fails}` : kind === 'compile' ? 'compiles again' : 'runs again';
  const name = nameFailure(group);
  return `${environment}: ${state}: ${name.length > LONGEST_TITLE ? `${name.slice(0, LONGEST_TITLE - 1)}…` : name}`;
}

/** The lines below: since which deploy, the places in the code, and the nodes. */
export function describeFailureDetails({ group }: FailureEvent): readonly string[] {
  const { deploy, lines, nodes, count } = group;
  const shown = nodes.slice(0, MOST_NAMES);
  const more = count - shown.length;
  const began = deploy?.isStaged ? 'It began with the staged deploy of' : 'It began with the deploy of';
  return [
    ...(deploy === null ? [] : [`${began} ${shortenId(deploy.codeId)} by ${deploy.user}.`]),
    ...(lines.length === 0 ? [] : [`Code: ${lines.map(printCodeLine).join(', ')}`]),
    `Nodes: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  ];
}

interface FeedPlace {
  /** `https://puppet.example.com:8443` */
  readonly origin: string;
  readonly now: number;
}

/** Events, the newest first, as an Atom feed (RFC 4287). */
export function describeFeed(events: readonly FailureEvent[], { origin, now }: FeedPlace): string {
  const entries = events.map((event) => {
    const link = escapeXml(`${origin}${pathOfFailure(event.group.id)}`);
    return [
      '  <entry>',
      `    <id>urn:understudy:failure:${escapeXml(event.id)}</id>`,
      `    <title>${escapeXml(describeFailureEvent(event))}</title>`,
      `    <updated>${new Date(event.at).toISOString()}</updated>`,
      `    <link href="${link}"/>`,
      `    <category term="${event.what}"/>`,
      `    <content type="text">${escapeXml(describeFailureDetails(event).join('\n'))}</content>`,
      '  </entry>',
    ].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>urn:understudy:failures</id>`,
    '  <title>Failures of the fleet</title>',
    '  <author><name>Understudy</name></author>',
    `  <updated>${new Date(events[0]?.at ?? now).toISOString()}</updated>`,
    `  <link rel="self" href="${escapeXml(`${origin}/understudy/v1/failures.atom`)}"/>`,
    ...entries,
    '</feed>',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text in XML 1.0, which cannot have control characters. */
function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML refuses
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .toWellFormed()
      .replace(/[&<>"]/g, (found) => ENTITIES[found] ?? found)
  );
}
