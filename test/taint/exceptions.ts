import type { Sighting } from './search.ts';

/** Where a secret may be, and why. */
export interface Exception {
  /** The names of secrets. */
  readonly marks: RegExp;
  /** The places. */
  readonly sinks: RegExp;
  readonly why: string;
}

/** Each is needed: a test fails when it is not. A backup holds what the data directory holds. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    marks: /^(manifest|template|data|code|kept value): (?!an exported)/,
    sinks: /^(backup )?blob catalogs\//,
    why: 'the catalog of a node goes out as it is stored, and an agent needs the values in clear',
  },
  {
    marks: /^code: /,
    sinks: /^(backup )?blob (files|packs)\//,
    why: 'deployed code is stored as it is written: secrets belong into encrypted data',
  },
  {
    marks: /^code: /,
    sinks: /^answer console \/understudy\/v1\/environments\/production\/code\S* of (?!Viewers)/,
    why: 'deployed code is shown to whoever has the permission to view it',
  },
  {
    marks: /^fact: /,
    sinks:
      /^answer .*(facts|fact-contents|factsets|inventory|classifier-api\/v1\/nodes|agents\/:node)(%20\S+|\/web01\S+)? of (?!Code)/,
    why: 'facts are no secrets: they are shown to whoever may look at nodes',
  },
  {
    marks: /^fact: /,
    sinks: /^(backup )?(blob facts\/|file inventory$|row documents$|file understudy\.db(-wal)?$)/,
    why: 'facts are no secrets: they are stored as they are',
  },
  {
    marks: /^node group: /,
    sinks: /^answer (access|console) \/classifier-api\/v1\/groups(\/:id)? of (?!Code)/,
    why: 'parameters of classes in node groups are shown to whoever may look at the groups, as in PE',
  },
  {
    marks: /^node group: /,
    sinks: /^(backup )?blob groups\//,
    why: 'the state of node groups is stored as it is: see above',
  },
  {
    marks: /^file bucket: /,
    sinks: /^(backup )?blob bucket\//,
    why: 'a node puts files into its own bucket, and gets them back as they are; no other node does',
  },
  {
    marks: /^task: an uploaded file$/,
    sinks: /^(backup )?blob jobs\//,
    why: 'agents fetch the files of a job as they are; the job itself shows none',
  },
  {
    marks: /^key: the file that seals/,
    sinks: /^file (ca|values)-key-file$/,
    why: 'it is that file; a backup without keys has it not',
  },
];

export function isExcepted({ mark, sink }: Sighting, { marks, sinks }: Exception): boolean {
  return marks.test(mark) && sinks.test(sink);
}
